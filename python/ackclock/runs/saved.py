"""Results read from a folder: what was saved becomes a comparison again, with its tables and figures."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ackclock._native import Scenario
from ackclock.errors import InputError
from ackclock.results_folder import SUMS
from ackclock.runs.result import KINDS, Comparison, Result
from ackclock.runs.tables import TABLES, Tables
from ackclock.runs.written import scenario_files
from ackclock.scenarios.algorithms import classes_of
from ackclock.scenarios.load import load_scenario

__all__ = ["load"]


def load(folder: str | Path) -> Comparison:
    """The results that `save`, `ackclock run` or `ackclock compare` wrote into a folder, as a Comparison.

    Tables, statistics and figures come from the folder; captures stay where they are. Raises InputError where
    the folder holds no such results, and where they lack a file.
    """
    place = Path(folder)
    result = _facts(place)
    simulations = _table(place, "simulations")
    files = scenario_files(result["algorithms"], is_comparison=result["what"] == "comparison")
    scenarios = {label: load_scenario(place / file) for label, file in files.items()}
    classes = {label: classes_of(scenario) for label, scenario in scenarios.items()}
    whole = functools.cache(functools.partial(_table, place))
    results = tuple(
        Result(
            scenario=_seeded(scenarios[row["label"]], row["seed"]),
            label=row["label"],
            classes=classes[row["label"]],
            tables=SavedTables(whole, row["label"], row["seed"]),
            events=row["events"],
            packets_delivered=row["packets_delivered"],
            conserved=row["conserved"],
            finished_at_s=row["finished_at_s"],
        )
        for row in simulations.iter_rows(named=True)
    )
    if not results:
        raise InputError(f"{place}: these results have no run")
    labels, seeds = tuple(result["algorithms"]), tuple(result["seeds"])
    first = _seeded(scenarios[labels[0]], seeds[0])
    competitors = {label: tuple(names) for label, names in result["competitors"].items()}
    return Comparison(first, labels, seeds, results, result["interrupted"], competitors=competitors)


def _facts(place: Path) -> dict[str, Any]:
    """What the provenance of a folder says of its runs."""
    try:
        document = json.loads((place / "provenance.json").read_text(encoding="utf-8"))
        result = dict(document["result"])
        result.setdefault("competitors", {})
        result["interrupted"] = bool(document["making"].get("interrupted", False))
        if result["what"] not in KINDS:
            raise InputError(f"{place}: these are results of another kind ({result['what']})")
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(f"{place}: this is no results folder of ackclock run or ackclock compare") from None
    return result


def _seeded(scenario: Scenario, seed: int) -> Scenario:
    return scenario.with_value("seed", str(seed))


def _table(place: Path, name: str) -> pl.DataFrame:
    file = f"tables/{name}.parquet"
    try:
        if not (place / file).exists() and file not in (place / SUMS).read_text(encoding="utf-8"):
            return pl.DataFrame(schema={"label": pl.String, "seed": pl.UInt64})  # no run had such rows
        return pl.read_parquet(place / file)
    except (OSError, pl.exceptions.PolarsError) as error:
        said = " ".join(str(error).split())[:200]
        raise InputError(f"{place}: its table {name} cannot be read: {said}") from None


class SavedTables(Tables):
    """A run's tables out of those of a folder, each read on first access."""

    def __init__(self, whole: functools._lru_cache_wrapper[pl.DataFrame], label: str, seed: int) -> None:
        super().__init__({})
        self._whole, self._label, self._seed = whole, label, seed

    def __getitem__(self, name: str) -> pl.DataFrame:
        if name not in self._frames:
            mine = (pl.col("label") == self._label) & (pl.col("seed") == self._seed)
            self._frames[name] = self._whole(name).filter(mine).drop("label", "seed")
        return self._frames[name]

    def columns(self, name: str) -> dict[str, np.ndarray | list[str]]:
        """The columns of a table: arrays of numbers, lists of texts."""
        table = self[name]
        return {
            column: table[column].to_numpy() if table[column].dtype.is_numeric() else table[column].to_list()
            for column in table.columns
        }

    def __iter__(self) -> Iterator[str]:
        return iter(TABLES)

    def __len__(self) -> int:
        return len(TABLES)
