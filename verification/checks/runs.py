"""Runs scenarios side by side. A run that does not conserve packets is an error."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count

import polars as pl

import ackclock
from ackclock import Result
from ackclock.errors import NoMarksWarning

Settings = Mapping[str, object]


def simulate(scenario: Settings) -> Result:
    """One simulation of a scenario given as a nested mapping."""
    return simulate_all([scenario])[0]


def _simulate(scenario: Settings) -> Result:
    result = ackclock.run(scenario)
    if not result.conserved:
        raise AssertionError(f"packets vanished or multiplied in {json.dumps(scenario)}")
    return result


def simulate_all(scenarios: Sequence[Settings]) -> list[Result]:
    """Many simulations, results in the order of the scenarios. The engine leaves other threads alone."""
    with warnings.catch_warnings(), ThreadPoolExecutor(min(len(scenarios), cpu_count() or 1)) as pool:
        # Random scenarios intentionally run algorithms that respond to marks on links that do not mark.
        warnings.simplefilter("ignore", NoMarksWarning)
        return list(pool.map(_simulate, scenarios))


def row(table: pl.DataFrame, name: str) -> dict[str, float]:
    """The row of `flows` or `links` with this name."""
    return table.filter(pl.col("name") == name).row(0, named=True)


def cut(scenario: Settings, **changes: object) -> dict[str, object]:
    """The scenario with some of its top-level entries replaced."""
    return {**scenario, **changes}
