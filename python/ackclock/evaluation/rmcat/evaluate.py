"""Evaluations of a congestion control of calls: the test cases of RFC 8867 and RFC 8869."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ackclock._native import Scenario
from ackclock.arguments import checked
from ackclock.errors import unknown
from ackclock.evaluation.criterion import Cell
from ackclock.evaluation.evaluate import FULL_SEEDS, QUICK_SEEDS
from ackclock.evaluation.plan import Means, measured
from ackclock.evaluation.rmcat import SUITE
from ackclock.evaluation.rmcat.outcome import JudgedCase, judge
from ackclock.evaluation.suite import Suite
from ackclock.runs.parallel import Progress
from ackclock.scenarios.algorithms import Factory
from ackclock.scenarios.load import load_scenario
from ackclock.scenarios.media import referred as media_referred
from ackclock.scenarios.media import with_media
from ackclock.scenarios.seeds import seed_numbers

__all__ = ["CallEvaluation", "evaluate_calls", "placed"]


@dataclass(frozen=True)
class CallEvaluation:
    """A finished evaluation of a congestion control of calls."""

    label: str
    """The contender's name."""
    labels: tuple[str, ...]
    """The contender, and those shown with it."""
    suite: Suite
    contenders: Mapping[str, str | Factory]
    quick: bool
    seeds: tuple[int, ...]
    judged: tuple[JudgedCase, ...]
    beside: Mapping[str, tuple[JudgedCase, ...]]
    """The judged cases of the algorithms shown with it, by their names."""
    new_runs: int


@checked
def evaluate_calls(  # noqa: PLR0913 - the public function: keywords, of which a call names a few
    algorithm: str | Factory,
    store: str | Path,
    *,
    against: Sequence[str] = (),
    only: Sequence[str] = (),
    quick: bool = False,
    seeds: int | None = None,
    workers: int | None = None,
    address: str | None = None,
    trust: bool = False,
    progress: Progress | None = None,
) -> CallEvaluation:
    """Evaluates a congestion control of calls by the cases of RFC 8867 and RFC 8869.

    `store` is a folder of finished runs, from which an interrupted evaluation goes on. `only` names cases by
    their keys; `against` names algorithms to show next to it. Raises ScenarioError, InputError, OutputError,
    and EvaluationInterrupted on Ctrl-C.
    """
    contenders = media_referred([algorithm, *against], trust=trust)
    label = next(iter(contenders))
    known = {case.key: case for case in SUITE.criteria}
    for key in only:
        if key not in known:
            raise unknown("criterion", key, known)
    chosen = [case for case in SUITE.criteria if not only or case.key in only]
    numbers = seed_numbers(seeds if seeds is not None else QUICK_SEEDS if quick else FULL_SEEDS)
    means = Means(Path(store), workers, address, progress)
    found, new_runs = measured(chosen, contenders, placed, numbers, means, quick=quick)
    judged = {name: tuple(judge(each, name) for each in found) for name in contenders}
    own = judged.pop(label)
    return CallEvaluation(label, tuple(contenders), SUITE, contenders, quick, numbers, own, judged, new_runs)


def placed(cell: Cell, _label: str, algorithm: str | Factory) -> tuple[Scenario, dict[str, Factory]]:
    """The cell's scenario with the algorithm in the calls that name none, and the Python classes it needs."""
    tree, factories = with_media(cell.scenario, algorithm)
    return load_scenario(tree, custom=list(factories)), factories
