"""Runs trials in batches, here or on a cluster, and remembers each, so that an interrupted attack resumes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from ackclock._native import Scenario
from ackclock.attacks.facts import facts
from ackclock.interrupts import held
from ackclock.runs.parallel import run_parallel
from ackclock.scenarios.algorithms import Factory
from ackclock.sweeps import cluster, identity
from ackclock.sweeps.store import KEY, RUNS, Store, run_key
from ackclock.sweeps.task import Measure, PackedRows, Rows, Task, execute, execute_remotely

__all__ = ["AttackInterrupted", "Runner", "Trial"]

BOTTLENECK = "left->right"

FLUSH_EVERY_S = 5.0
"""The interval at which finished runs are written."""

Row = Mapping[str, Any]


class AttackInterrupted(KeyboardInterrupt):
    """Ctrl-C during an attack. Finished runs are in the store."""


@dataclass(frozen=True)
class Trial:
    """One run: a scenario with its seed, and the Python classes that it needs."""

    scenario: Scenario
    label: str
    seed: int
    factories: Mapping[str, Factory] = field(default_factory=dict)


class Runner:
    """Runs trials and keeps their rows. Equal trials are run once."""

    def __init__(
        self,
        store: Store | None = None,
        *,
        measure: Measure | None = None,
        workers: int | None = None,
        address: str | None = None,
    ) -> None:
        self.simulated_s = 0.0
        """The simulated time of all trials that were asked for, those from the store among them."""
        self.new_runs = 0
        self._measures = tuple(each for each in (facts, measure) if each is not None)
        self._said = f"attack|{'|'.join(map(identity.of_code, self._measures))}"
        self._store, self._workers, self._address = store, workers, address
        self._rows: dict[str, Row] = {}
        self._asked: set[str] = set()
        self._pending: list[Row] = []
        self._flushed = time.monotonic()
        if store is not None:
            store.tidy()
            table = store.read(RUNS)
            if table is not None:
                # Rows of other runs have other columns, which are null here.
                known = (
                    {key: value for key, value in row.items() if value is not None}
                    for row in table.iter_rows(named=True)
                )
                self._rows = {row[KEY]: row for row in known}

    def run(self, trials: Sequence[Trial]) -> list[Row]:
        """The row of each trial. Raises AttackInterrupted."""
        tasks = [self._task(trial) for trial in trials]
        missing = {task.key: task for task in tasks if task.key not in self._rows}
        for task in {task.key: task for task in tasks}.values():
            if task.key not in self._asked:
                self._asked.add(task.key)
                self.simulated_s += task.duration_s
        if missing:
            self._execute(list(missing.values()))
        return [self._rows[task.key] for task in tasks]

    def _task(self, trial: Trial) -> Task:
        said = f"{self._said}|{identity.of_classes(trial.factories)}"
        key = run_key(trial.scenario.with_value("seed", str(trial.seed)), trial.label, said)
        return Task(
            key, trial.scenario, trial.seed, trial.label, trial.factories, BOTTLENECK, (), self._measures
        )

    def _execute(self, tasks: Sequence[Task]) -> None:
        interrupted = False
        try:
            if self._address is None:
                items = [(task.duration_s, task) for task in tasks]
                interrupted = run_parallel(items, execute, self._take, self._workers, None)
            else:
                cluster.execute(self._address, tasks, execute_remotely, self._take_packed, None)
        except KeyboardInterrupt:
            interrupted = True
        if interrupted or time.monotonic() - self._flushed > FLUSH_EVERY_S:
            self.flush()
        if interrupted:
            raise AttackInterrupted(f"interrupted after {len(self._rows)} runs")

    def _take(self, rows: Rows) -> None:
        row = dict(rows.run)
        self._rows[row[KEY]] = row
        self._pending.append(row)
        self.new_runs += 1

    def _take_packed(self, packed: PackedRows) -> None:
        self._take(packed.unpacked())

    def flush(self) -> None:
        """Writes what has not been written yet."""
        self._flushed = time.monotonic()
        if self._store is not None and self._pending:
            with held():
                self._store.append({RUNS: pl.DataFrame(self._pending, infer_schema_length=None)})
        self._pending = []
