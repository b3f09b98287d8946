"""Optimisers over the unit cube: each asks for the scores of a batch of points, again and again.

The scores of a batch decide the next one, whatever the number of workers, so that a search can be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from ackclock.attacks.space import OFF_SHARE, Space

__all__ = ["BATCH", "OPTIMISERS", "Evaluate", "sparse"]

Floats = NDArray[np.float64]

Evaluate = Callable[[Floats], Floats]
"""A function from points, a row each, to their scores. It ends a search by an exception."""

BATCH = 32
"""The points of a batch, and the members of a population."""

MOST_CHANGES = 3
"""The most changes of a path that is drawn at random."""


def sparse(space: Space, count: int, random: np.random.Generator) -> Floats:
    """Points of random paths that have one to three changes each."""
    points = random.random((count, space.dimensions))
    firsts = np.cumsum([0, *(len(change.keys) for change in space.changes)])[:-1]
    for point in points:
        most = min(int(random.integers(1, MOST_CHANGES + 1)), len(firsts))
        chosen = set(random.permutation(len(firsts))[:most].tolist())
        for number, first in enumerate(firsts.tolist()):
            if space.changes[number].name in space.always:
                continue
            low, high = (OFF_SHARE, 1.0) if number in chosen else (0.0, OFF_SHARE)
            point[first] = low + (high - low) * point[first]
    return points


def by_evolution(space: Space, evaluate: Evaluate, random: np.random.Generator) -> None:
    """Differential evolution of SciPy (Storn and Price 1997), which begins anew whenever it has converged."""
    from scipy.optimize import Bounds, differential_evolution  # noqa: PLC0415 - takes a second to load

    def scores(_: object, points: Iterable[Floats]) -> Floats:
        try:
            return evaluate(np.array(list(points)))
        except (TypeError, ValueError) as error:
            raise _Raised from error  # SciPy takes these for errors of the map itself

    try:
        while True:
            differential_evolution(
                _unused,
                Bounds(np.zeros(space.dimensions), np.ones(space.dimensions)),
                strategy="best1bin",
                init=sparse(space, BATCH, random),
                mutation=(0.3, 0.9),
                recombination=0.3,
                maxiter=GENERATIONS,
                tol=0,
                polish=False,
                updating="deferred",
                workers=scores,
                rng=random,
            )
    except _Raised as raised:
        raise raised.__cause__ or raised from None


class _Raised(Exception):  # noqa: N818 - it carries the error of a run
    pass


def _unused(_: Floats) -> float:
    """The place of the function to minimise: scores come from the map over a whole population."""
    raise NotImplementedError


GENERATIONS = 25
"""The generations of a population before another one begins."""


def by_chance(space: Space, evaluate: Evaluate, random: np.random.Generator) -> None:
    """Random paths of few changes: what another optimiser must be better than."""
    while True:
        evaluate(sparse(space, BATCH, random))


OPTIMISERS: dict[str, Callable[[Space, Evaluate, np.random.Generator], None]] = {
    "evolution": by_evolution,
    "chance": by_chance,
}
"""The optimisers by name; none returns, since the budget ends a search."""
