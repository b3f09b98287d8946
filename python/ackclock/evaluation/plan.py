"""The runs of an evaluation: every criterion's cells with each contender, on the same seeds, resumable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ackclock._native import Scenario
from ackclock.errors import InputError
from ackclock.evaluation.criterion import Cell, Criterion
from ackclock.evaluation.networks import BOTTLENECK
from ackclock.report.text import counted
from ackclock.runs.parallel import Progress
from ackclock.scenarios.algorithms import Factory
from ackclock.scenarios.seeds import refuse_many
from ackclock.sweeps import identity
from ackclock.sweeps.store import KEY, RUNS, Store, run_key
from ackclock.sweeps.sweep import run_missing
from ackclock.sweeps.task import Task

__all__ = ["EvaluationInterrupted", "Means", "Measured", "Placed", "measured", "rows_by_key"]

Placed = Callable[[Cell, str, str | Factory], tuple[Scenario, dict[str, Factory]]]
"""The scenario of a cell with an algorithm, by its label, in its place, and the Python classes it needs."""


class EvaluationInterrupted(KeyboardInterrupt):
    """Ctrl-C during an evaluation. Finished runs are in the store."""


@dataclass(frozen=True)
class Measured:
    """A criterion with what its runs measured."""

    criterion: Criterion
    cells: tuple[Cell, ...]
    values: Mapping[tuple[str, str], Mapping[int, Mapping[str, float]]]
    """The values of the measures by the cell's name and the label, by seed."""


@dataclass(frozen=True)
class Means:
    """With what the runs are done, where their rows are kept, and who is told."""

    store: Path
    workers: int | None = None
    address: str | None = None
    progress: Progress | None = None


def measured(
    criteria: Sequence[Criterion],
    contenders: Mapping[str, str | Factory],
    placed: Placed,
    seeds: Sequence[int],
    means: Means,
    *,
    quick: bool,
) -> tuple[tuple[Measured, ...], int]:
    """The criteria measured, with the runs that the store lacked, and their number.

    Raises EvaluationInterrupted on Ctrl-C.
    """
    cells = {criterion.key: criterion.cells(quick) for criterion in criteria}
    every = {key: _with_references(each) for key, each in cells.items()}
    refuse_many(cells=sum(map(len, every.values())), algorithms=len(contenders), seeds=len(seeds))
    tasks = {
        (criterion.key, cell.name, name, seed): task
        for criterion in criteria
        for cell in every[criterion.key]
        for name, made in contenders.items()
        for seed, task in _tasks(criterion, name, placed(cell, name, made), seeds)
    }
    # The seeds are the outermost loop, so that an interrupted evaluation has complete seeds.
    ordered = [task for _, task in sorted(tasks.items(), key=lambda item: item[0][3])]
    opened = Store(means.store)
    interrupted, new_runs = run_missing(ordered, opened, means.workers, means.address, means.progress)
    if interrupted:
        raise EvaluationInterrupted(f"interrupted after {counted(len(opened.keys()), 'run')}")
    found = rows_by_key(opened)
    return tuple(_measured(each, cells[each.key], tasks, found) for each in criteria), new_runs


def _with_references(cells: Sequence[Cell]) -> list[Cell]:
    """The cells, and each cell once with which they are compared for harm."""
    references = {each.name: each for cell in cells for each in cell.references.values()}
    return [*cells, *references.values()]


def _tasks(
    criterion: Criterion,
    label: str,
    placed: tuple[Scenario, dict[str, Factory]],
    seeds: Sequence[int],
) -> Iterator[tuple[int, Task]]:
    scenario, factories = placed
    code = identity.of_classes(factories)
    measure = identity.of_code(criterion.measure)
    for seed in seeds:
        seeded = scenario.with_value("seed", str(seed))
        key = run_key(seeded, label, f"{criterion.key}|{measure}|{code}")
        yield seed, Task(key, scenario, seed, label, factories, BOTTLENECK, (), (criterion.measure,))


def rows_by_key(store: Store) -> dict[str, dict[str, float]]:
    """The row of each run in the store, by its key."""
    table = store.read(RUNS)
    if table is None:
        raise InputError("nothing was run")
    return {str(row[KEY]): row for row in table.iter_rows(named=True)}


def _measured(
    criterion: Criterion,
    cells: tuple[Cell, ...],
    tasks: Mapping[tuple[str, str, str, int], Task],
    found: Mapping[str, Mapping[str, float]],
) -> Measured:
    values: dict[tuple[str, str], dict[int, dict[str, float]]] = {}
    for (key, cell, name, seed), task in tasks.items():
        if key == criterion.key:
            row = found[task.key]
            values.setdefault((cell, name), {})[seed] = {m.key: float(row[m.key]) for m in criterion.measures}
    return Measured(criterion, cells, values)
