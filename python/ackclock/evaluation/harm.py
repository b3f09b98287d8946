"""Harm: what a newcomer takes from an incumbent (Ware et al., HotNets 2019)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ackclock.evaluation.criterion import Cell, Measure
from ackclock.evaluation.verdict import Thresholds, classify
from ackclock.measures.statistics import Interval

__all__ = ["Harm", "harm"]


@dataclass(frozen=True)
class Harm:
    """Harm in one measure."""

    interval: Interval
    """0 for none, up to 1 for ruin; negative where the newcomer is kinder."""
    verdict: str
    """The class of the cost, as of a criterion: "better", "no different", "worse" or "much worse"."""


def harm(
    measure: Measure, beside: Mapping[int, float], baseline: Mapping[int, float], thresholds: Thresholds
) -> Harm:
    """The harm of a newcomer, from the incumbent's values by seed and those of the baseline.

    For a value x of the baseline and y with the newcomer, harm is (x - y) / x if more is better, and (y - x)
    / y if less is better. Both are 1 - 1 / c, where c, the cost of the classes, is x / y or y / x. The mean
    is taken of the logarithm of c, over seeds, since a single seed may have a harm far below 0.
    """
    rows = {
        ("", label): {seed: {measure.key: value} for seed, value in values.items()}
        for label, values in (("beside", beside), ("baseline", baseline))
    }
    compared = classify([Cell("", {}, ("baseline",))], [measure], rows, "beside", thresholds)
    times = compared.times_worse
    return Harm(
        Interval(_harm(times.estimate), _harm(times.low), _harm(times.high), times.n, times.confidence),
        compared.verdict,
    )


def _harm(times_worse: float) -> float:
    return 1 - 1 / times_worse if times_worse > 0 else -math.inf
