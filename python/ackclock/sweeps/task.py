"""One run of a sweep as plain data, and its execution, here or on a worker."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from ackclock._native import Scenario
from ackclock.measures import metrics
from ackclock.runs.parallel import ProgressCallback
from ackclock.runs.result import Result
from ackclock.runs.simulate import simulate
from ackclock.scenarios.algorithms import Factory
from ackclock.sweeps.store import KEY, RUNS

__all__ = ["Measure", "Task", "execute", "execute_remotely"]

Measure = Callable[[Result], Mapping[str, float]]
"""A function that measures more quantities of a run, beside its metrics; by column name, in base units."""


@dataclass(frozen=True)
class Task:
    """One run of a sweep as plain data, which can be sent to a worker."""

    key: str
    scenario: str
    """The scenario with its seed, as TOML."""
    label: str
    factories: Mapping[str, Factory]
    bottleneck: str | None
    keep: tuple[str, ...]
    measures: tuple[Measure, ...]
    duration_s: float


def execute(task: Task, progress: ProgressCallback | None = None) -> dict[str, pl.DataFrame]:
    """Simulates and measures; returns the rows of the store."""
    scenario = Scenario.from_toml(task.scenario, list(task.factories))
    result = simulate(scenario, task.label, task.factories, progress)
    if not result.conserved:
        raise RuntimeError(f"packets were lost count of in {task.label}: a bug in Ackclock, please report it")
    link = task.bottleneck or metrics.bottleneck([result])
    row: dict[str, Any] = {KEY: task.key, "bottleneck": link, **metrics.measure(result, link)}
    for measure in task.measures:
        row |= {name: float(value) for name, value in measure(result).items()}
    kept = {name: result.tables[name].select(pl.lit(task.key).alias(KEY), pl.all()) for name in task.keep}
    return {RUNS: pl.DataFrame([row]), **kept}


def execute_remotely(task: Task) -> dict[str, bytes]:
    """Simulates and measures on a worker; returns the rows of the store as bytes, to be sent back."""
    packed = {}
    for name, table in execute(task).items():
        buffer = io.BytesIO()
        table.write_ipc(buffer)
        packed[name] = buffer.getvalue()
    return packed
