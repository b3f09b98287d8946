"""What a subject brings forward: comparisons with their tolerances, and a figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from ackclock.measures.statistics import Interval

CONFIDENCE = 0.999
"""Of the intervals over seeds: with some hundred comparisons, a correct simulator is refused under one choice
of seeds in ten. The seeds are fixed, so a comparison that holds goes on holding."""


@dataclass(frozen=True)
class Check:
    """One quantity measured, and what it has to be."""

    what: str
    measured: str
    expected: str
    holds: bool
    share: float = math.nan
    """Of the tolerance, how much is used up; NaN where there is nothing between right and wrong."""

    @staticmethod
    def near(what: str, measured: float, expected: float, tolerance: float, digits: int = 4) -> Check:
        """Right within an absolute tolerance."""
        share = _share(measured - expected, tolerance)
        text = f"{expected:.{digits}g} ± {tolerance:.2g}"
        return Check(what, f"{measured:.{digits}g}", text, share <= 1, share)

    @staticmethod
    def agrees(what: str, interval: Interval, expected: float, slack: float = 0.0, digits: int = 4) -> Check:
        """Right if the expected value lies in the confidence interval of the mean over seeds.

        `slack` is what the theory itself leaves open, added to both sides.
        """
        return Check.near(what, interval.estimate, expected, interval.half_width + slack, digits)

    @staticmethod
    def within(what: str, measured: float, low: float, high: float, digits: int = 4) -> Check:
        """Right between two bounds, both allowed; one may be infinite, and the other is then positive."""
        middle, half = (low + high) / 2, (high - low) / 2
        if high == math.inf:
            text, share = f"at least {low:.{digits}g}", low / measured
        elif low == -math.inf:
            text, share = f"at most {high:.{digits}g}", measured / high
        else:
            text, share = f"{low:.{digits}g} to {high:.{digits}g}", _share(measured - middle, half)
        return Check(what, f"{measured:.{digits}g}", text, low <= measured <= high, share)

    @staticmethod
    def each_within(
        what: str, measured: Sequence[float], low: Sequence[float], high: Sequence[float], digits: int = 4
    ) -> Check:
        """Right if there are as many values as bounds, each within its own."""
        if len(measured) != len(low):
            return Check.same(what, list(measured), list(low))
        triples = list(zip(measured, low, high, strict=True))
        inside = all(a <= value <= b for value, a, b in triples)
        text = ", ".join(f"{value:.{digits}g}" for value in measured)
        bounds = ", ".join(f"{a:.{digits}g}" for a in low)
        return Check(what, text, f"{bounds} + {max(b - a for _, a, b in triples):.1g}", inside)

    @staticmethod
    def same(what: str, measured: object, expected: object) -> Check:
        """Right if equal."""
        return Check(what, _text(measured), _text(expected), measured == expected)


def _share(difference: float, tolerance: float) -> float:
    """Of the tolerance; where there is none, nothing or everything."""
    if tolerance > 0:
        return abs(difference) / tolerance
    return 0.0 if difference == 0 else math.inf


def _text(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_text(item) for item in value) or "none"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Evidence:
    """All that one subject brings forward."""

    key: str
    """Its name in files."""
    title: str
    checks: tuple[Check, ...]
    figure: Figure

    @property
    def holds(self) -> bool:
        """Whether every comparison holds, and there is at least one."""
        return bool(self.checks) and all(check.holds for check in self.checks)
