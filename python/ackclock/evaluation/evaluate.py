"""Evaluations: every criterion's cells with the contender and the standards, on the same seeds, resumable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from ackclock._native import Scenario
from ackclock.arguments import checked
from ackclock.attacks.attack import AttackInterrupted
from ackclock.errors import InputError, ScenarioError, unknown
from ackclock.evaluation.criterion import STANDARDS, Cell, Criterion, NotEvaluated
from ackclock.evaluation.networks import BOTTLENECK, dumbbell, flows
from ackclock.evaluation.suite import Suite
from ackclock.evaluation.suites import DEFAULT, SUITES
from ackclock.evaluation.verdict import Compared, Thresholds, classify
from ackclock.evaluation.worst_paths import WorstPath, worst_paths
from ackclock.report.text import counted
from ackclock.runs.parallel import Progress
from ackclock.scenarios.algorithms import Factory, referred, with_algorithm
from ackclock.scenarios.load import load_scenario
from ackclock.scenarios.seeds import refuse_many, seed_numbers
from ackclock.sweeps import identity
from ackclock.sweeps.store import KEY, RUNS, Store, run_key
from ackclock.sweeps.sweep import run_missing
from ackclock.sweeps.task import Task

__all__ = [
    "DEFAULT_AGAINST",
    "FULL_SEEDS",
    "QUICK_SEEDS",
    "Evaluation",
    "EvaluationInterrupted",
    "Judged",
    "evaluate",
    "rows_by_key",
]

DEFAULT_AGAINST = (*STANDARDS, "bbr3")
"""The algorithms shown with the contender: the standards, and widely deployed algorithms."""

QUICK_SEEDS, FULL_SEEDS = 3, 10


@dataclass(frozen=True)
class Judged:
    """A criterion with its outcome."""

    criterion: Criterion
    cells: tuple[Cell, ...]
    whole: Compared
    """The contender over all cells."""
    by_cell: tuple[Compared, ...]
    values: Mapping[tuple[str, str], Mapping[int, Mapping[str, float]]]
    """The values of the measures by the cell's name and the label, by seed."""

    @property
    def verdict(self) -> str:
        """The class over all cells."""
        return self.whole.verdict


@dataclass(frozen=True)
class Evaluation:
    """A finished evaluation."""

    label: str
    """The contender's name."""
    labels: tuple[str, ...]
    """The contender, and those compared with it."""
    suite: Suite
    contenders: Mapping[str, str | Factory]
    quick: bool
    seeds: tuple[int, ...]
    thresholds: Thresholds
    judged: tuple[Judged, ...]
    new_runs: int
    stack: str | None = None
    """The QUIC stack of the contenders' flows; none for the simulator's TCP."""
    worst_paths: tuple[WorstPath, ...] = ()
    """The worst paths that attacks found, if they were asked for."""


class EvaluationInterrupted(KeyboardInterrupt):
    """Ctrl-C during an evaluation. Finished runs are in the store."""


@checked
def evaluate(  # noqa: PLR0913 - the public function: keywords, of which a call names a few
    algorithm: str | Factory,
    store: str | Path,
    *,
    against: Sequence[str] = DEFAULT_AGAINST,
    only: Sequence[str] = (),
    suite: str = DEFAULT,
    stack: str | None = None,
    quick: bool = False,
    seeds: int | None = None,
    thresholds: Thresholds | None = None,
    attack: bool = False,
    workers: int | None = None,
    address: str | None = None,
    trust: bool = False,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluates an algorithm, named or a Python class, by the criteria of RFC 9743 or of another suite.

    `store` is a folder of finished runs, from which an interrupted evaluation goes on. `only` names criteria
    by their keys; `suite` is "rfc9743" or "tcpeval". `stack` is the QUIC stack of the contenders' flows,
    "quinn" or "noq"; what it cannot carry is left out, criteria with the reason. The standards stand in the
    same place on the same seeds, whether `against` names them or not. With `attack`, the worst path is sought
    for its own flows and for standard flows next to it. `trust` is that of `run`.
    Raises ScenarioError, InputError, OutputError, and EvaluationInterrupted on Ctrl-C.
    """
    if attack and stack is not None:
        raise InputError(f"attack: it searches paths for the simulator's TCP, not for {stack}; leave out one")
    contenders = _contenders(algorithm, against, stack, trust=trust)
    label = next(iter(contenders))
    chosen, left_out = _carried(_chosen(suite, only), label, contenders[label], stack, quick=quick)
    numbers = seed_numbers(seeds if seeds is not None else QUICK_SEEDS if quick else FULL_SEEDS)
    cells = {criterion.key: criterion.cells(quick) for criterion in chosen}
    refuse_many(cells=sum(map(len, cells.values())), algorithms=len(contenders), seeds=len(numbers))
    tasks = {
        (criterion.key, cell.name, name, seed): task
        for criterion in chosen
        for cell in cells[criterion.key]
        for name in contenders
        for seed, task in _tasks(criterion, cell, (name, contenders[name], stack), numbers)
    }
    # The seeds are the outermost loop, so that an interrupted evaluation has complete seeds.
    ordered = [task for _, task in sorted(tasks.items(), key=lambda item: item[0][3])]
    opened = Store(Path(store))
    interrupted, new_runs = run_missing(ordered, opened, workers, address, progress)
    if interrupted:
        raise EvaluationInterrupted(f"interrupted after {counted(len(opened.keys()), 'run')}")
    found = rows_by_key(opened)
    limits = thresholds or Thresholds()
    judged = tuple(
        _judged(criterion, cells[criterion.key], tasks, found, label, limits) for criterion in chosen
    )
    worst: tuple[WorstPath, ...] = ()
    if attack:
        try:
            worst = worst_paths(
                algorithm,
                label,
                Path(store),
                quick=quick,
                workers=workers,
                address=address,
                trust=trust,
                progress=progress,
            )
        except AttackInterrupted as interrupt:
            raise EvaluationInterrupted(str(interrupt)) from None
    asked = SUITES[suite]
    asked = replace(asked, not_evaluated=(*asked.not_evaluated, *left_out))
    return Evaluation(
        label, tuple(contenders), asked, contenders, quick, numbers, limits, judged, new_runs, stack, worst
    )


def _contenders(
    algorithm: str | Factory, against: Sequence[str], stack: str | None, *, trust: bool
) -> dict[str, str | Factory]:
    """The contender first, then the standards and others for comparison that the stack can carry."""
    own = referred([algorithm], trust=trust)
    names = [name for name in dict.fromkeys((*STANDARDS, *against)) if name not in own]
    others = referred(names, trust=trust)
    if stack is None:
        return own | others
    plain = Cell("plain", dumbbell(20, 40, 1, [flows("one")]))
    for label, made in own.items():
        scenario_of(plain, label, made, stack)
    return own | {label: made for label, made in others.items() if not _refusal(plain, label, made, stack)}


def _refusal(cell: Cell, label: str, algorithm: str | Factory, stack: str | None) -> str | None:
    """The reason why a cell cannot be run on a stack; none if it can."""
    try:
        scenario_of(cell, label, algorithm, stack)
    except ScenarioError as error:
        return error.message
    return None


def _carried(
    chosen: tuple[Criterion, ...], label: str, algorithm: str | Factory, stack: str | None, *, quick: bool
) -> tuple[tuple[Criterion, ...], list[NotEvaluated]]:
    """The criteria whose cells run on the stack, and the others with the reason."""
    if stack is None:
        return chosen, []
    carried, left_out = [], []
    for criterion in chosen:
        refusals = [_refusal(cell, label, algorithm, stack) for cell in criterion.cells(quick)]
        reason = next(filter(None, refusals), None)
        if reason is None:
            carried.append(criterion)
        else:
            reason = f"on {stack}: {reason}"
            left_out.append(NotEvaluated(criterion.section, criterion.title, criterion.force, reason))
    if not carried:
        raise InputError(f"--stack {stack}: it can carry none of the criteria: {left_out[0].reason}")
    return tuple(carried), left_out


def _chosen(suite: str, only: Sequence[str]) -> tuple[Criterion, ...]:
    if suite not in SUITES:
        raise unknown("suite", suite, SUITES)
    every = SUITES[suite].criteria
    known = {criterion.key: criterion for criterion in every}
    for key in only:
        if key not in known:
            raise unknown("criterion", key, known)
    return tuple(criterion for criterion in every if not only or criterion.key in only)


def _tasks(
    criterion: Criterion,
    cell: Cell,
    contender: tuple[str, str | Factory, str | None],
    seeds: Sequence[int],
) -> Iterator[tuple[int, Task]]:
    label = contender[0]
    scenario, factories = scenario_of(cell, *contender)
    code = identity.of_classes(factories)
    measured = identity.of_code(criterion.measure)
    for seed in seeds:
        seeded = scenario.with_value("seed", str(seed))
        key = run_key(seeded, label, f"{criterion.key}|{measured}|{code}")
        yield seed, Task(key, scenario, seed, label, factories, BOTTLENECK, (), (criterion.measure,))


def scenario_of(
    cell: Cell, label: str, algorithm: str | Factory, stack: str | None = None
) -> tuple[Scenario, dict[str, Factory]]:
    """The cell's scenario with the algorithm in the contender's place, and the Python classes it needs.

    With a `stack` the contender's flows, which name no algorithm of their own, are connections of it.
    """
    table = dict(cell.scenario)
    if stack is not None:
        groups = cast("list[dict[str, object]]", table.get("flow", []))
        table["flow"] = [group if "algorithm" in group else {**group, "stack": stack} for group in groups]
    return with_algorithm(load_scenario(table), algorithm, label=label)


def rows_by_key(store: Store) -> dict[str, dict[str, float]]:
    """The row of each run in the store, by its key."""
    table = store.read(RUNS)
    if table is None:
        raise InputError("nothing was run")
    return {str(row[KEY]): row for row in table.iter_rows(named=True)}


def _judged(
    criterion: Criterion,
    cells: tuple[Cell, ...],
    tasks: Mapping[tuple[str, str, str, int], Task],
    found: Mapping[str, Mapping[str, float]],
    label: str,
    thresholds: Thresholds,
) -> Judged:
    values: dict[tuple[str, str], dict[int, dict[str, float]]] = {}
    for (key, cell, name, seed), task in tasks.items():
        if key == criterion.key:
            row = found[task.key]
            values.setdefault((cell, name), {})[seed] = {m.key: float(row[m.key]) for m in criterion.measures}

    def compared(part: Sequence[Cell]) -> Compared:
        return classify(part, criterion.measures, values, label, thresholds)

    return Judged(criterion, cells, compared(cells), tuple(compared([cell]) for cell in cells), values)
