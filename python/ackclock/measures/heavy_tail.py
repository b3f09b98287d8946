"""Heavy tails: the scaling estimator of Crovella and Taqqu, and Hill's.

Crovella and Taqqu, "Estimating the Heavy Tail Index from Scaling Properties", Methodology and Computing in
Applied Probability 1 (1999) 55-79. Our sources were the abstract and others' descriptions of the method, not
the paper; the tolerances are our own choice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["FEWEST", "Tail", "TailPoint", "aest", "hill"]

Floats = NDArray[np.float64]

PER_OCTAVE = 8
"""Points compared per halving of the probability."""

LEAST_ABOVE = 20
"""The least number of blocks beyond a point: with fewer, chance moves the plots more than scaling does."""

FEWEST = 16 * LEAST_ABOVE
"""The smallest sample: two levels of blocks to compare."""

LEAST_OCTAVES = 2
"""The least span of a tail, in halvings of the probability: any two curves agree where they cross."""

AGREEING = 0.9
"""The least share of a tail's points that scale; a single point may miss by chance."""


@dataclass(frozen=True)
class TailPoint:
    """A point of a level's plot that belongs to the tail."""

    level: int
    """The sizes compared: blocks of 2^level values and blocks of twice as many."""
    x: float
    """The sum of a block less the mean, in the data's unit."""
    probability: float
    """The share of blocks that are at least `x`."""
    tau: float
    """The vertical distance to the next level's plot; log 2 where sums scale."""
    delta: float
    """The horizontal distance to it, in log x; log 2 / alpha where sums scale."""

    @property
    def alpha(self) -> float:
        """The tail index that this point alone gives."""
        return math.log(2) / self.delta


@dataclass(frozen=True)
class Tail:
    """The result of the scaling estimator. Without a tail, `alpha` and `first_tail_point` are NaN."""

    alpha: float
    """The tail index: P[X > x] falls as x^-alpha."""
    first_tail_point: float
    """The value from which the power law holds, in the data's unit."""
    points: tuple[TailPoint, ...]
    """The points that agree with scaling, level by level."""
    levels: int
    """The number of pairs of levels compared."""

    @property
    def found(self) -> bool:
        """True if some part of the sample scales as a power law does."""
        return bool(self.points)

    @property
    def is_heavy(self) -> bool:
        """True if there is a tail of infinite variance: an index below 2."""
        return self.found and self.alpha < 2


def aest(
    sample: ArrayLike, *, levels: int = 10, tau_tolerance: float = 0.2, slope_tolerance: float = 0.3
) -> Tail:
    """The tail index and the beginning of the tail, by the scaling estimator (AEST).

    From the source: independent values of a tail x^-alpha, 0 < alpha < 2, are summed over blocks of m = 1,
    2, 4, ... values. Far out, P[sum > x] ~ m P[X > x]: the log-log complementary distributions of blocks of
    m and 2m are log 2 apart vertically (tau) and log 2 / alpha horizontally (delta). The tail consists of the
    points where this holds, and the mean of their log 2 / delta is alpha.

    Our own choices: the mean is subtracted before summing, and added back to `first_tail_point`; plots are
    compared at eight points per halving of the probability, with at least 20 of the larger blocks beyond. A
    point agrees if tau is within `tau_tolerance` of log 2 (as a share of it), and the plot's slope, over a
    factor of four in probability, within `slope_tolerance` of log 2 / delta. A level's tail begins at the
    first agreeing point beyond which 90 % of the points agree, and spans at least a factor of four in
    probability. `first_tail_point` is the beginning of the tail of the data themselves, blocks of one.

    `first_tail_point` depends on `tau_tolerance`, alpha hardly: tau approaches log 2 smoothly as x grows, so
    a stricter tolerance moves the beginning of the tail outwards.

    `sample` has at least 320 values, in the order observed. An index of 2 or more is returned too: sums of
    finite variance stop scaling eventually, but a finite sample need not show it (`Tail.is_heavy`). Raises
    ValueError for too few values, and for a value that is not finite.
    """
    values = np.asarray(sample, dtype=np.float64)
    if values.ndim != 1 or values.size < FEWEST or not np.isfinite(values).all():
        raise ValueError(f"a sequence of at least {FEWEST} finite numbers is needed")
    mean = float(values.mean())
    blocks = values - mean
    points: list[TailPoint] = []
    first = math.nan
    compared = 0
    while compared < levels:
        doubled = blocks[: blocks.size // 2 * 2].reshape(-1, 2).sum(axis=1)
        if doubled.size < 8 * LEAST_ABOVE:
            break
        found = _tail_of_level(compared, blocks, doubled, tau_tolerance, slope_tolerance)
        if compared == 0:
            if not found:
                return Tail(math.nan, math.nan, (), 1)
            first = found[-1].x + mean
        points += found
        blocks = doubled
        compared += 1
    alpha = math.fsum(point.alpha for point in points) / len(points)
    return Tail(alpha, first, tuple(points), compared)


def _tail_of_level(
    level: int, blocks: Floats, doubled: Floats, tau_tolerance: float, slope_tolerance: float
) -> list[TailPoint]:
    """The tail of one pair of levels: its agreeing points, the outermost first; empty if there is no tail."""
    upper, upper_doubled = np.sort(blocks)[::-1], np.sort(doubled)[::-1]
    positive = int(np.count_nonzero(upper > 0))
    positive_doubled = int(np.count_nonzero(upper_doubled > 0))
    octaves = math.log2(max(positive, 1) / 2 / (2 * LEAST_ABOVE))
    if octaves < LEAST_OCTAVES:
        return []
    steps = np.arange(math.floor(octaves * PER_OCTAVE) + 1) / PER_OCTAVE
    ranks: NDArray[np.intp] = np.rint(2 * LEAST_ABOVE * 2**steps).astype(np.intp)
    x = upper[ranks - 1]
    probability = ranks / upper.size
    beyond = np.searchsorted(-upper_doubled, -x, side="right")
    with np.errstate(divide="ignore", invalid="ignore"):
        tau = np.log(beyond / doubled.size / probability)
        log_ranks = np.log(np.arange(1, positive_doubled + 1))
        log_sums = np.log(upper_doubled[:positive_doubled])
        delta = np.interp(np.log(probability * doubled.size), log_ranks, log_sums) - np.log(x)
        slope = math.log(4) / np.log(upper[ranks // 2 - 1] / upper[2 * ranks - 1])
        alpha = math.log(2) / delta
        agrees = (
            (delta > 0)
            & (np.abs(tau / math.log(2) - 1) <= tau_tolerance)
            & (np.abs(slope / alpha - 1) <= slope_tolerance)
        )
    shares = np.cumsum(agrees) / np.arange(1, agrees.size + 1)
    inner = np.flatnonzero(agrees & (shares >= AGREEING))
    if not inner.size or inner[-1] < LEAST_OCTAVES * PER_OCTAVE:
        return []
    return [
        TailPoint(level, float(x[at]), float(probability[at]), float(tau[at]), float(delta[at]))
        for at in np.flatnonzero(agrees[: inner[-1] + 1])
    ]


def hill(sample: ArrayLike, largest: int) -> float:
    """Hill's estimate of the tail index from the `largest` values, which must be positive (Hill 1975).

    Raises ValueError unless there are more values than that.
    """
    values = np.sort(np.asarray(sample, dtype=np.float64))[::-1]
    if not 1 <= largest < values.size or not values[largest] > 0:
        raise ValueError(f"more than {largest} values are needed, and those positive")
    excess = float(np.log(values[:largest] / values[largest]).sum())
    return largest / excess if excess > 0 else math.nan
