"""Runs one simulation, and converts its tables to data frames."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from ackclock import _native
from ackclock._native import Scenario
from ackclock.runs.parallel import ProgressCallback
from ackclock.runs.result import TABLES, Result
from ackclock.scenarios.algorithms import Factory, with_algorithm
from ackclock.scenarios.load import Source, load_scenario, with_sampling, with_settings

__all__ = ["frame", "run", "simulate"]

_BUFFERS = {"f8": "<f8", "u8": "<u8", "u4": "<u4", "b1": "?"}


Columns = Sequence[tuple[str, str, bytes | list[str]]]
"""A table of the binding: a name, a type and the data of each column."""


def frame(columns: Columns) -> pl.DataFrame:
    """A data frame over the binding's columns, without a copy of numbers."""
    series = []
    for name, kind, data in columns:
        if isinstance(data, list):
            series.append(pl.Series(name, data, dtype=pl.String))
        else:
            series.append(pl.Series(name, np.frombuffer(data, dtype=_BUFFERS[kind])))
    return pl.DataFrame(series)


class Tables(Mapping[str, pl.DataFrame]):
    """A run's tables, each converted to a data frame on first access; most are never accessed."""

    def __init__(self, columns: Mapping[str, Columns]) -> None:
        self._columns = columns
        self._frames: dict[str, pl.DataFrame] = {}

    def __getitem__(self, name: str) -> pl.DataFrame:
        if name not in self._frames:
            self._frames[name] = frame(self._columns[name])
        return self._frames[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


def run(
    scenario: Source,
    *,
    settings: Mapping[str, object] | None = None,
    seed: int | None = None,
    algorithm: str | Factory | None = None,
    algorithms: Mapping[str, Factory] | None = None,
    series: bool = False,
    progress: ProgressCallback | None = None,
) -> Result:
    """Simulates one scenario and returns its result.

    `scenario` is a built-in name, a TOML file, a nested mapping or a Scenario. `settings` replaces values by
    dotted path, `seed` the scenario's seed, and `algorithm` (a specification or a Python class) the algorithm
    of all flows that name none. `algorithms` names Python classes that flows of the scenario refer to.
    `series` turns on time series at an interval fit for the duration. `progress` receives the simulated
    seconds done and stops the run by returning False. Raises ScenarioError, InputError.
    """
    loaded, factories = with_algorithm(
        load_scenario(scenario, custom=list(algorithms or ())), algorithm, algorithms
    )
    loaded = with_settings(loaded, settings or {})
    if seed is not None:
        loaded = loaded.with_value("seed", str(seed))
    if series:
        loaded = with_sampling(loaded)
    return simulate(loaded, loaded.name, factories, progress)


def simulate(
    scenario: Scenario,
    label: str,
    factories: Mapping[str, Factory],
    progress: ProgressCallback | None,
) -> Result:
    """Runs a complete scenario in this thread, without blocking others."""
    begun = time.thread_time()
    output = _native.run(scenario, algorithms=dict(factories) or None, progress=progress)
    return Result(
        scenario=scenario,
        label=label,
        tables=Tables({name: output.table(name) for name in TABLES}),
        events=output.events,
        packets_delivered=output.packets_delivered,
        conserved=output.conserved,
        finished_at_s=output.finished_at_s,
        captures=dict(output.pcapng),
        cpu_s=time.thread_time() - begun,
    )
