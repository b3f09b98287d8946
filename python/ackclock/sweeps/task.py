"""One run of a sweep, and its execution, here or on a worker."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import polars as pl

from ackclock._native import Scenario
from ackclock.measures import metrics
from ackclock.runs.crew import endable
from ackclock.runs.parallel import ProgressCallback
from ackclock.runs.result import Result
from ackclock.runs.simulate import simulate
from ackclock.scenarios.algorithms import Factory
from ackclock.sweeps.store import KEY

__all__ = ["Measure", "PackedRows", "Rows", "Task", "Timed", "execute", "execute_remotely"]

Measure = Callable[[Result], Mapping[str, float]]
"""A function that measures more quantities of a run, in addition to its metrics; by column name, in base
units."""


@dataclass(frozen=True, slots=True)
class Task:
    """One run of a sweep, which can be pickled and sent to a worker.

    A sweep keeps the tasks of all its runs, and so no scenario for each: it has more than ten kilobytes.
    """

    key: str
    prepared: Scenario
    """The scenario that the runs of all seeds have in common."""
    seed: int
    label: str
    factories: Mapping[str, Factory]
    bottleneck: str | None
    keep: tuple[str, ...]
    measures: tuple[Measure, ...]

    @property
    def scenario(self) -> Scenario:
        """The scenario with its seed, which is made for each call."""
        return self.prepared.with_value("seed", str(self.seed))

    @property
    def duration_s(self) -> float:
        """The simulated time, in seconds."""
        return self.prepared.duration_s


class Timed(Sequence[tuple[float, Task]]):
    """Tasks with their simulated seconds, which are made when they are asked for."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = tasks

    def __len__(self) -> int:
        return len(self.tasks)

    @overload
    def __getitem__(self, place: int) -> tuple[float, Task]: ...

    @overload
    def __getitem__(self, place: slice) -> Timed: ...

    def __getitem__(self, place: int | slice) -> tuple[float, Task] | Timed:
        if isinstance(place, slice):
            return Timed(self.tasks[place])
        task = self.tasks[place]
        return task.duration_s, task


@dataclass(frozen=True)
class Rows:
    """The rows of one run in the store."""

    run: Mapping[str, Any]
    """Its row of `runs`: the key, the bottleneck and every measure."""
    tables: Mapping[str, pl.DataFrame]
    """Its rows of the tables that the plan keeps."""


def execute(task: Task, progress: ProgressCallback | None = None) -> Rows:
    """Simulates and measures; returns the rows of the store."""
    result = simulate(task.scenario, task.label, task.factories, progress)
    if not result.conserved:
        raise RuntimeError(f"packets were lost count of in {task.label}: a bug in Ackclock, please report it")
    link = task.bottleneck or metrics.bottleneck([result])
    row: dict[str, Any] = {KEY: task.key, "bottleneck": link, **metrics.measure(result, link)}
    for measure in task.measures:
        row |= {name: float(value) for name, value in measure(result).items()}
    kept = {name: result.tables[name].select(pl.lit(task.key).alias(KEY), pl.all()) for name in task.keep}
    return Rows(row, kept)


@dataclass(frozen=True)
class PackedRows:
    """The rows of one run with its tables as bytes, to be sent back by a worker."""

    run: Mapping[str, Any]
    tables: Mapping[str, bytes]

    def unpacked(self) -> Rows:
        """The rows as they were."""
        return Rows(self.run, {name: pl.read_ipc(io.BytesIO(data)) for name, data in self.tables.items()})


def execute_remotely(task: Task) -> PackedRows:
    """Simulates and measures on a worker, until `crew.end_all` of the worker's process."""
    with endable():
        rows = execute(task)
    packed = {}
    for name, table in rows.tables.items():
        buffer = io.BytesIO()
        table.write_ipc(buffer)
        packed[name] = buffer.getvalue()
    return PackedRows(rows.run, packed)
