"""Statistics of replicated simulations: intervals, paired differences, fairness, distributions, warm-up.

All functions take plain sequences of finite numbers and raise ValueError for anything else: the caller
decides about missing values, which are never dropped silently.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy  # loads its submodules on first use
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Interval",
    "batch_means",
    "binned_mean",
    "bootstrap_interval",
    "cdf",
    "coefficient_of_variation",
    "correlation_time",
    "geometric_interval",
    "jain_index",
    "mean_interval",
    "median_interval",
    "paired_difference",
    "proportion_interval",
    "time_average",
    "warm_up_samples",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    `low` and `high` are NaN for a single observation, which has no spread.
    """

    estimate: float
    low: float
    high: float
    n: int
    """The number of independent observations."""
    confidence: float = 0.95

    @property
    def half_width(self) -> float:
        """Half the interval's width, in the unit of the estimate; NaN for a single observation."""
        return (self.high - self.low) / 2

    def as_json(self) -> dict[str, object]:
        """The estimate, the bounds and the count as a JSON object, in the unit of the estimate."""
        return {"mean": self.estimate, "low": self.low, "high": self.high, "n": self.n}

    @property
    def excludes_zero(self) -> bool:
        """True if zero lies outside, so that the sign is certain at this confidence."""
        return bool(self.low > 0 or self.high < 0)

    def __contains__(self, value: float) -> bool:
        return bool(self.low <= value <= self.high)


def _sample(values: ArrayLike, at_least: int = 1) -> Floats:
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or sample.size < at_least:
        raise ValueError(
            f"a sequence of at least {at_least} numbers is needed, not one of shape {sample.shape}"
        )
    if not np.isfinite(sample).all():
        raise ValueError("the values must be finite numbers")
    return sample


def mean_interval(values: ArrayLike, confidence: float = 0.95) -> Interval:
    """The mean with its two-sided Student t interval (n - 1 degrees of freedom); n values, independent."""
    sample = _sample(values)
    n = sample.size
    mean = float(sample.mean())
    if n == 1:
        return Interval(mean, math.nan, math.nan, 1, confidence)
    half = float(scipy.special.stdtrit(n - 1, (1 + confidence) / 2) * sample.std(ddof=1) / math.sqrt(n))
    return Interval(mean, mean - half, mean + half, n, confidence)


def geometric_interval(values: ArrayLike, confidence: float = 0.95) -> Interval:
    """The geometric mean with Student's interval of the logarithms, for ratios: halving undoes doubling.

    All values must be above zero, and so are the bounds.
    """
    sample = _sample(values)
    if not (sample > 0).all():
        raise ValueError("a geometric mean needs values above zero")
    found = mean_interval(np.log(sample), confidence)
    low, high = math.exp(found.low), math.exp(found.high)
    return Interval(math.exp(found.estimate), low, high, found.n, confidence)


def paired_difference(first: ArrayLike, second: ArrayLike, confidence: float = 0.95) -> Interval:
    """The mean of `first - second`, pair by pair, with its Student t interval.

    With common random numbers (one seed per pair) variation that both share cancels, so the interval is
    narrower than that of a difference of independent means.
    """
    a, b = _sample(first), _sample(second)
    if a.size != b.size:
        raise ValueError(f"pairs are needed, not {a.size} and {b.size} values")
    return mean_interval(a - b, confidence)


def bootstrap_interval(
    values: ArrayLike,
    statistic: Callable[[Any], Any] = np.median,
    confidence: float = 0.95,
    resamples: int = 4000,
    seed: int = 0,
) -> Interval:
    """A bias-corrected and accelerated bootstrap interval (Efron 1987) of any statistic, for heavy tails.

    `statistic` must take an `axis` argument. Equal seeds give equal intervals. The interval of a single value
    is NaN; that of values that are all equal is a point.
    """
    sample = _sample(values)
    estimate = float(statistic(sample))
    if sample.size == 1:
        return Interval(estimate, math.nan, math.nan, 1, confidence)
    if np.ptp(sample) == 0:
        return Interval(estimate, estimate, estimate, sample.size, confidence)

    def run(method: Literal["percentile", "BCa"]) -> Any:
        return scipy.stats.bootstrap(
            (sample,),
            statistic,
            confidence_level=confidence,
            n_resamples=resamples,
            method=method,
            rng=np.random.default_rng(seed),
        ).confidence_interval

    with np.errstate(all="ignore"):
        bounds = run("percentile") if statistic is np.median else run("BCa")
    return Interval(estimate, float(bounds.low), float(bounds.high), sample.size, confidence)


def median_interval(values: ArrayLike, confidence: float = 0.95, seed: int = 0) -> Interval:
    """The median with a percentile bootstrap interval; its jackknife is not smooth enough for BCa."""
    return bootstrap_interval(values, np.median, confidence, seed=seed)


def proportion_interval(successes: int, n: int, confidence: float = 0.95) -> Interval:
    """The share of successes with its exact interval (Clopper and Pearson 1934)."""
    if not 0 <= successes <= n or n < 1:
        raise ValueError(f"{successes} successes of {n} make no share")
    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else float(scipy.special.betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes == n else float(scipy.special.betaincinv(successes + 1, n - successes, 1 - tail))
    return Interval(successes / n, low, high, n, confidence)


def jain_index(shares: ArrayLike) -> float:
    """Jain's fairness index.

    It is 1 if all shares are equal, 1/n if one of n has everything (Jain, Chiu, Hawe 1984), and 1 by
    definition if all are zero.
    """
    sample = _sample(shares)
    if (sample < 0).any():
        raise ValueError("shares cannot be negative")
    squares = float(np.sum(sample**2))
    return 1.0 if squares == 0 else float(np.sum(sample)) ** 2 / (sample.size * squares)


def coefficient_of_variation(values: ArrayLike) -> float:
    """Standard deviation over mean, with n - 1 in the deviation; NaN when the mean is zero."""
    sample = _sample(values, at_least=2)
    mean = float(sample.mean())
    return math.nan if mean == 0 else float(sample.std(ddof=1)) / mean


def cdf(values: ArrayLike) -> tuple[Floats, Floats]:
    """The empirical distribution: sorted values, and the share of values not above each; shapes (n,)."""
    sample = np.sort(_sample(values))
    return sample, np.arange(1, sample.size + 1) / sample.size


def time_average(times: ArrayLike, values: ArrayLike, begin: float, end: float) -> float:
    """The average over [begin, end] of a step function that takes `values[i]` at `times[i]`.

    `times` rise and start no later than `begin`; the result has the values' unit.
    """
    t, v = _sample(times), _sample(values)
    if t.size != v.size or (np.diff(t) < 0).any() or t[0] > begin or not begin < end:
        raise ValueError("rising times with one value each are needed, from begin or before, and begin < end")
    edges = np.clip(np.append(t, end), begin, end)
    return float(np.sum(v * np.diff(edges)) / (end - begin))


def binned_mean(times: ArrayLike, values: ArrayLike, width: float, end: float) -> tuple[Floats, Floats]:
    """Means of samples over bins (0, width], (width, 2 width], ... up to `end`; centres and means.

    It suits rates sampled at the end of each interval. A bin without samples is NaN. Shapes
    (ceil(end / width),).
    """
    t, v = np.asarray(times, dtype=np.float64), np.asarray(values, dtype=np.float64)
    count = max(1, math.ceil(end / width - 1e-9))
    index: NDArray[np.intp] = np.clip(np.ceil(t / width - 1e-9).astype(int) - 1, 0, count - 1)
    good = np.isfinite(v) & (t > 0)
    sums = np.bincount(index[good], weights=v[good], minlength=count)
    numbers = np.bincount(index[good], minlength=count)
    with np.errstate(invalid="ignore"):
        means: Floats = np.asarray(sums / numbers, dtype=np.float64)
    return (np.arange(count, dtype=np.float64) + 0.5) * width, means


def warm_up_samples(values: Sequence[float] | Floats, batch: int = 5) -> int:
    """The number of leading samples to cut as warm-up, by MSER-5 (White, Cobb and Spratt 2000).

    The cut minimises the squared standard error of what remains, over batches of five samples; at most half
    is cut.
    """
    sample = _sample(values, at_least=2 * batch)
    means = sample[: sample.size // batch * batch].reshape(-1, batch).mean(axis=1)
    n = means.size
    errors = [float(np.var(means[cut:])) / (n - cut) for cut in range(max(1, n // 2))]
    return int(np.argmin(errors)) * batch


def batch_means(values: ArrayLike, batches: int = 20, confidence: float = 0.95) -> Interval:
    """The mean of one long correlated series with an interval from the means of `batches` equal stretches.

    The batches must be long compared with the correlation time. Leading samples that fill no batch are left
    out.
    """
    sample = _sample(values, at_least=2 * batches)
    size = sample.size // batches
    return mean_interval(
        sample[sample.size - size * batches :].reshape(batches, size).mean(axis=1), confidence
    )


def correlation_time(values: ArrayLike) -> float:
    """The integrated autocorrelation time in samples: 1 for independent samples, larger for slow ones.

    The sum ends at the first autocorrelation that is not positive.
    """
    sample = _sample(values, at_least=4)
    centred = sample - sample.mean()
    power = np.abs(np.fft.rfft(centred, 2 * sample.size)) ** 2
    correlation = np.fft.irfft(power)[: sample.size]
    if correlation[0] <= 0:
        return 1.0
    correlation = correlation / correlation[0]
    below = np.flatnonzero(correlation <= 0)
    last = int(below[0]) if below.size else sample.size
    return float(1 + 2 * np.sum(correlation[1:last]))
