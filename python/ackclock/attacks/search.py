"""The search for the worst path, within a budget of simulated time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ackclock.attacks.optimisers import OPTIMISERS
from ackclock.attacks.problem import Judged, Problem
from ackclock.attacks.runner import Runner

__all__ = ["Searched", "Step", "search"]

Tell = Callable[[float, Judged | None], None]
"""A callback with the simulated seconds done, and the worst path so far."""


@dataclass(frozen=True)
class Step:
    """The best score after a simulated time."""

    simulated_s: float
    share: float


@dataclass
class Searched:
    """The outcome of a search: every path that was tried, and how the best one improved."""

    tried: dict[str, Judged] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    best: Judged | None = None

    def take(self, key: str, judged: Judged, simulated_s: float) -> None:
        """Takes the outcome of a path."""
        self.tried[key] = judged
        if self.best is None or judged.score < self.best.score:
            self.best = judged
            self.steps += (Step(simulated_s, judged.share),)

    def candidates(self, count: int) -> list[Judged]:
        """The worst paths, each with other changes than those before."""
        found: dict[tuple[str, ...], Judged] = {}
        for judged in sorted(self.tried.values(), key=lambda one: one.score):
            found.setdefault(tuple(judged.path), judged)
            if len(found) == count:
                break
        return list(found.values())


class _Spent(Exception):  # noqa: N818 - no error: the budget is used up
    pass


def search(
    problem: Problem,
    runner: Runner,
    *,
    budget_s: float,
    seed: int,
    draw: int = 0,
    optimiser: str = "evolution",
    tell: Tell | None = None,
    until: Callable[[Judged], bool] | None = None,
) -> Searched:
    """Tries paths until all runs have taken the budget of simulated time.

    `seed` is that of the runs; with it, `draw` makes the numbers of the search. With `until`, the search ends
    at the first path for which it is true. Raises AttackInterrupted.
    """
    searched = Searched()

    def evaluate(points: NDArray[np.float64]) -> NDArray[np.float64]:
        is_over = False
        if runner.simulated_s >= budget_s:
            raise _Spent
        paths = [problem.space.path(point) for point in points]
        keys = [problem.key(path) for path in paths]
        fresh = {key: path for key, path in zip(keys, paths, strict=True) if key not in searched.tried}
        outcomes = problem.judge(runner, list(fresh.values()), (seed,), problem.space.duration_s)
        for key, outcome in zip(fresh, outcomes, strict=True):
            searched.take(key, outcome[seed], runner.simulated_s)
            is_over = is_over or (until is not None and until(outcome[seed]))
        if tell is not None:
            tell(runner.simulated_s, searched.best)
        if is_over:
            raise _Spent
        return np.array([searched.tried[key].score for key in keys])

    with suppress(_Spent):
        OPTIMISERS[optimiser](problem.space, evaluate, np.random.default_rng([seed, draw]))
    return searched
