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
from ackclock.arguments import checked
from ackclock.errors import InputError, ScenarioError
from ackclock.results_folder import PROVENANCE, listed, read_file, read_table
from ackclock.runs.result import KINDS, Asked, Comparison, Result
from ackclock.runs.tables import TABLES, NotRecorded, Tables
from ackclock.runs.written import scenario_files
from ackclock.scenarios import own_code
from ackclock.scenarios.load import read_scenario

__all__ = ["load"]


@checked
def load(folder: str | Path, *, trust: bool = False) -> Comparison:
    """The results that `save`, `ackclock run` or `ackclock compare` wrote into a folder, as a Comparison.

    Tables, statistics and figures come from the folder; captures stay where they are. The checksum of each
    file must be that of the written file. No code of the folder runs: the Python classes of its algorithms
    are imported only when a simulation needs them, and only if their files have not changed either. With
    `trust`, changed files are read and run. Raises InputError if the folder holds no such results, or if a
    file is missing or has changed.
    """
    place = Path(folder)
    try:
        return _comparison(place, trust=trust)
    except (InputError, ScenarioError):
        raise
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"{place}: this is no results folder of ackclock run or ackclock compare: "
            f"{type(error).__name__}: {error}"
        ) from None


def _comparison(place: Path, *, trust: bool) -> Comparison:
    result = _facts(place, trust=trust)
    asked = result["asked"] or {"algorithms": result["algorithms"]}
    files = scenario_files(asked["algorithms"], is_comparison=result["what"] == "comparison")
    scenarios = {label: _scenario(place, file, trust=trust) for label, file in files.items()}
    classes = {label: _classes(scenario, trust=trust) for label, scenario in scenarios.items()}
    whole = functools.cache(functools.partial(_table, place, trust))
    results = tuple(
        Result(
            scenario=_seeded(scenarios[row["label"]], row["seed"]),
            label=row["label"],
            classes=classes[row["label"]],
            tables=SavedTables(whole, scenarios[row["label"]], row["label"], row["seed"]),
            events=row["events"],
            packets_delivered=row["packets_delivered"],
            conserved=row["conserved"],
            finished_at_s=row["finished_at_s"],
        )
        for row in whole("simulations").iter_rows(named=True)
    )
    if not results:
        raise InputError(f"{place}: these results have no run")
    labels, seeds = tuple(result["algorithms"]), tuple(result["seeds"])
    first = _seeded(scenarios[labels[0]], seeds[0])
    competitors = {label: tuple(names) for label, names in result["competitors"].items()}
    variants = {label: (scenario, classes[label]) for label, scenario in scenarios.items()}
    unfinished = Asked(variants, tuple(asked["seeds"])) if result["asked"] else None
    return Comparison(
        first, labels, seeds, results, result["interrupted"], competitors=competitors, asked=unfinished
    )


def _facts(place: Path, *, trust: bool) -> dict[str, Any]:
    """The facts about the runs in the provenance of a folder."""
    if not (place / PROVENANCE).is_file():
        what = "this is no results folder of ackclock run or ackclock compare"
        raise InputError(f"{place}: {what if place.exists() else 'there is no such folder'}")
    document = json.loads(read_file(place, PROVENANCE, trust=trust))
    result = dict(document["result"])
    result.setdefault("competitors", {})
    result["interrupted"] = bool(document["making"].get("interrupted", False))
    result["asked"] = document["making"].get("asked")
    if result["what"] not in KINDS:
        raise InputError(_of_another_kind(place, result["what"], document["making"]["command"]))
    return result


def _of_another_kind(place: Path, what: str, command: str) -> str:
    """The message for results that are no run and no comparison, with how those of a sweep are read."""
    if what == "sweep":
        return (
            f'{place}: these are results of a sweep; ackclock.sweep(PLAN, "{place}/store") reads them with '
            f"their plan, and runs only what is missing ({command})"
        )
    return f"{place}: these are results of another kind ({what}), made by: {command}"


def _scenario(place: Path, file: str, *, trust: bool) -> Scenario:
    path = place / file
    text = read_file(place, file, trust=trust).decode()
    return read_scenario(text, path, path.parent, trust=trust)


def _classes(scenario: Scenario, *, trust: bool) -> dict[str, own_code.SavedClass]:
    """The classes that a scenario names by their files, without an import."""
    return {
        spec: own_code.SavedClass(spec, scenario.folder, within=scenario.within, trust=trust)
        for spec in own_code.named_in(json.loads(scenario.to_json()))
    }


def _seeded(scenario: Scenario, seed: int) -> Scenario:
    return scenario.with_value("seed", str(seed))


def _table(place: Path, trust: bool, name: str) -> pl.DataFrame:
    file = f"tables/{name}.parquet"
    if not (place / file).exists() and file not in listed(place):
        return pl.DataFrame(schema={"label": pl.String, "seed": pl.UInt64})  # no run had such rows
    table = read_table(place, name, trust=trust)
    if not {"label", "seed"} <= set(table.columns):
        raise InputError(f"{place / file}: this table has no columns label and seed")
    return table


class SavedTables(Tables):
    """The tables of a run, taken from those of a folder; each is read on first access."""

    def __init__(
        self, whole: functools._lru_cache_wrapper[pl.DataFrame], scenario: Scenario, label: str, seed: int
    ) -> None:
        super().__init__({})
        self._whole, self._label, self._seed = whole, label, seed
        self._scenario = scenario

    def __getitem__(self, name: str) -> pl.DataFrame:
        if not self._is_recorded(name):
            raise NotRecorded(name)
        return self._rows(name)

    def _rows(self, name: str) -> pl.DataFrame:
        if name not in self._frames:
            mine = (pl.col("label") == self._label) & (pl.col("seed") == self._seed)
            self._frames[name] = self._whole(name).filter(mine).drop("label", "seed")
        return self._frames[name]

    def _is_recorded(self, name: str) -> bool:
        return name not in self._unrecorded

    @functools.cached_property
    def _unrecorded(self) -> frozenset[str]:
        """The tables that the run did not record. A run with series has a sample of its beginning."""
        return frozenset(self._scenario.unrecorded(not self._rows("network_series").is_empty()))

    def columns(self, name: str) -> dict[str, np.ndarray | list[str]]:
        """The columns of a table: arrays of numbers, lists of texts."""
        table = self[name]
        return {
            column: table[column].to_numpy() if table[column].dtype.is_numeric() else table[column].to_list()
            for column in table.columns
        }

    def __iter__(self) -> Iterator[str]:
        return filter(self._is_recorded, TABLES)

    def __len__(self) -> int:
        return sum(map(self._is_recorded, TABLES))
