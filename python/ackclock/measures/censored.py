"""Times of which some are not over at the end of a run.

A mean over what has finished leaves out the slowest, so that the network in which least finishes looks best.
Here an unfinished time counts as longer than what it has lasted so far (it is right-censored), and the
distribution is the product-limit estimate of Kaplan and Meier (1958).
"""

from __future__ import annotations

import math

import numpy as np
import scipy  # loads its submodules on first use
from numpy.typing import ArrayLike, NDArray

__all__ = ["median", "quantile"]

Floats = NDArray[np.float64]


def quantile(finished: ArrayLike, unfinished: ArrayLike, share: float) -> float:
    """The time within which this share of all is over, `finished` and `unfinished` together.

    If less than that share is over within the longest of all times, the value is that time: a lower bound,
    and the largest value that the run can give. NaN without any time.
    """
    return _between(*_distribution(finished, unfinished), share)


def median(finished: ArrayLike, unfinished: ArrayLike) -> float:
    """The quantile of one half."""
    return quantile(finished, unfinished, 0.5)


def _distribution(finished: ArrayLike, unfinished: ArrayLike) -> tuple[Floats, Floats]:
    """Times, rising, and the share that is over within each."""
    over, under_way = (np.asarray(times, dtype=np.float64) for times in (finished, unfinished))
    if over.size + under_way.size == 0:
        return np.empty(0), np.empty(0)
    cdf = scipy.stats.ecdf(scipy.stats.CensoredData(uncensored=over, right=under_way)).cdf
    return cdf.quantiles, cdf.probabilities


def _between(times: Floats, shares: Floats, share: float) -> float:
    """The time at which a share is reached; the middle if it is reached over a span, as of an even number."""
    if times.size == 0:
        return math.nan
    # Shares are sums of quotients: what is a half by hand may differ in the last digit.
    first = int(np.searchsorted(shares, share - 1e-9))
    after = int(np.searchsorted(shares, share + 1e-9))
    last = times.size - 1
    if first > last:
        return float(times[last])
    return float(times[first] + times[min(after, last)]) / 2
