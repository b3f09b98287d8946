"""Evaluations: every criterion with the contender and the standards, and its class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import cast

from ackclock._native import Scenario
from ackclock.arguments import checked
from ackclock.attacks.attack import AttackInterrupted
from ackclock.errors import InputError, ScenarioError, unknown
from ackclock.evaluation.criterion import STANDARDS, Cell, Criterion, Measure, NotEvaluated
from ackclock.evaluation.harm import Harm, harm
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.plan import EvaluationInterrupted, Means, Measured, measured
from ackclock.evaluation.suite import Suite
from ackclock.evaluation.suites import DEFAULT, SUITES
from ackclock.evaluation.verdict import Compared, Thresholds, classify
from ackclock.evaluation.worst_paths import WorstPath, worst_paths
from ackclock.runs.parallel import Progress
from ackclock.scenarios.algorithms import Factory, referred, with_algorithm
from ackclock.scenarios.load import load_scenario
from ackclock.scenarios.seeds import seed_numbers

__all__ = [
    "DEFAULT_AGAINST",
    "FULL_SEEDS",
    "QUICK_SEEDS",
    "Evaluation",
    "Judged",
    "evaluate",
]

DEFAULT_AGAINST = (*STANDARDS, "bbr3")
"""The algorithms shown with the contender: the standards, and widely deployed algorithms."""

QUICK_SEEDS, FULL_SEEDS = 3, 10


@dataclass(frozen=True)
class Judged(Measured):
    """A criterion with its outcome."""

    whole: Compared
    """The contender over all cells."""
    by_cell: tuple[Compared, ...]
    harm: Mapping[tuple[str, str], Harm]
    """By the cell's name and the measure's key, where the cell has a reference for it."""

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
    chosen, left_out = _carried(_chosen(suite, only), contenders, stack, quick=quick)
    numbers = seed_numbers(seeds if seeds is not None else QUICK_SEEDS if quick else FULL_SEEDS)
    found, new_runs = measured(
        chosen,
        contenders,
        partial(scenario_of, stack=stack),
        numbers,
        Means(Path(store), workers, address, progress),
        quick=quick,
    )
    limits = thresholds or Thresholds()
    judged = tuple(_judged(each, label, limits) for each in found)
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
    plain = Cell("plain", dumbbell(20, 40, 1, [flows("one")]))
    # What cannot be run at all is an error, not a criterion left out.
    for label, made in (own if stack else own | others).items():
        scenario_of(plain, label, made, stack)
    if stack is None:
        return own | others
    return own | {label: made for label, made in others.items() if not _refusal(plain, label, made, stack)}


def _refusal(cell: Cell, label: str, algorithm: str | Factory, stack: str | None) -> str | None:
    """The reason why a cell cannot be run on a stack; none if it can."""
    try:
        scenario_of(cell, label, algorithm, stack)
    except ScenarioError as error:
        return error.message
    return None


def _carried(
    chosen: tuple[Criterion, ...],
    contenders: Mapping[str, str | Factory],
    stack: str | None,
    *,
    quick: bool,
) -> tuple[tuple[Criterion, ...], list[NotEvaluated]]:
    """The criteria whose cells run with every contender, and the others with the reason.

    A stack does not carry every flow, nor does every transport carry pages.
    """
    carried, left_out = [], []
    for criterion in chosen:
        refusals = (
            (label, _refusal(cell, label, made, stack))
            for label, made in contenders.items()
            for cell in criterion.cells(quick)
        )
        label, reason = next((found for found in refusals if found[1]), ("", None))
        if reason is None:
            carried.append(criterion)
        else:
            reason = f"on {stack or label}: {reason}"
            left_out.append(NotEvaluated(criterion.section, criterion.title, criterion.force, reason))
    if not carried:
        option = f"--stack {stack}" if stack else next(iter(contenders))
        raise InputError(f"{option}: it can carry none of the criteria: {left_out[0].reason}")
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


def _judged(each: Measured, label: str, thresholds: Thresholds) -> Judged:
    def compared(part: Sequence[Cell]) -> Compared:
        return classify(part, each.criterion.measures, each.values, label, thresholds)

    by_cell = tuple(compared([cell]) for cell in each.cells)
    harms = {
        (cell.name, measure.key): harm(
            measure,
            _of(each, cell, label, measure),
            _of(each, cell.references[measure.key], label, measure),
            thresholds,
        )
        for cell in each.cells
        for measure in each.criterion.measures
        if measure.key in cell.references
    }
    return Judged(each.criterion, each.cells, each.values, compared(each.cells), by_cell, harms)


def _of(each: Measured, cell: Cell, label: str, measure: Measure) -> dict[int, float]:
    """The values of a measure by seed."""
    return {seed: values[measure.key] for seed, values in each.values[cell.name, label].items()}
