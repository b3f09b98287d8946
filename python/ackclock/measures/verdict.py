"""Verdicts: a measured finding, an expectation, and the outcome of the comparison.

Claims of papers (`ackclock.papers.judge`) and checks against theory and standards (`verification/`) both end
in a verdict. Rules with bounds are here: `Verdict.near("utilisation", 0.748, 0.75, tolerance=0.01).holds`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ackclock.measures.statistics import Interval

__all__ = ["Outcome", "Verdict"]


class Outcome(StrEnum):
    """The outcomes of a comparison."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    """There are too few measurements, or none."""
    NOT_APPLICABLE = "not applicable"
    """The thing asked for cannot be seen; no claim of a paper has this outcome."""


@dataclass(frozen=True)
class Verdict:
    """The finding on one quantity or statement, the expectation, and the outcome."""

    what: str
    """The quantity measured, or the identifier of the claim."""
    finding: str
    """The measurement in words."""
    expectation: str
    """The expectation in words, with its tolerance."""
    outcome: Outcome
    share: float = math.nan
    """The share of the tolerance that the difference uses; NaN without a tolerance."""
    note: str = ""

    @property
    def holds(self) -> bool:
        """True if the finding meets the expectation."""
        return self.outcome is Outcome.HOLDS

    @staticmethod
    def decided(what: str, finding: str, expectation: str, holds: bool, share: float = math.nan) -> Verdict:
        """The verdict on a comparison that the caller made."""
        return Verdict(what, finding, expectation, Outcome.HOLDS if holds else Outcome.FAILS, share)

    @staticmethod
    def near(what: str, measured: float, expected: float, tolerance: float, digits: int = 4) -> Verdict:
        """The verdict that holds within an absolute tolerance of the expected value."""
        share = _share(measured - expected, tolerance)
        text = f"{expected:.{digits}g} ± {tolerance:.2g}"
        return Verdict.decided(what, f"{measured:.{digits}g}", text, share <= 1, share)

    @staticmethod
    def agrees(
        what: str, interval: Interval, expected: float, slack: float = 0.0, digits: int = 4
    ) -> Verdict:
        """The verdict that holds if the expected value is in the confidence interval of the mean over seeds.

        `slack`, the uncertainty of the theory itself, is added on both sides.
        """
        return Verdict.near(what, interval.estimate, expected, interval.half_width + slack, digits)

    @staticmethod
    def within(what: str, measured: float, low: float, high: float, digits: int = 4) -> Verdict:
        """The verdict that holds between two bounds, inclusive, of which one may be infinite."""
        middle, half = (low + high) / 2, (high - low) / 2
        if high == math.inf:
            text, share = f"at least {low:.{digits}g}", _ratio(low, measured)
        elif low == -math.inf:
            text, share = f"at most {high:.{digits}g}", _ratio(measured, high)
        else:
            text = f"{low:.{digits}g}" + (f" to {high:.{digits}g}" if high > low else "")
            share = _share(measured - middle, half)
        return Verdict.decided(what, f"{measured:.{digits}g}", text, low <= measured <= high, share)

    @staticmethod
    def each_within(
        what: str, measured: Sequence[float], low: Sequence[float], high: Sequence[float], digits: int = 4
    ) -> Verdict:
        """The verdict that holds if there are as many values as bounds, each within its own."""
        if len(measured) != len(low):
            return Verdict.same(what, list(measured), list(low))
        triples = list(zip(measured, low, high, strict=True))
        inside = all(a <= value <= b for value, a, b in triples)
        text = ", ".join(f"{value:.{digits}g}" for value in measured)
        bounds = ", ".join(f"{a:.{digits}g}" for a in low)
        return Verdict.decided(what, text, f"{bounds} + {max(b - a for _, a, b in triples):.1g}", inside)

    @staticmethod
    def same(what: str, measured: object, expected: object) -> Verdict:
        """The verdict that holds if both are equal."""
        return Verdict.decided(what, _text(measured), _text(expected), measured == expected)


def _ratio(smaller: float, larger: float) -> float:
    """The share of the way to a single bound; NaN where a ratio of the two says nothing."""
    return smaller / larger if smaller > 0 and larger > 0 else math.nan


def _share(difference: float, tolerance: float) -> float:
    """The share of the tolerance that a difference uses; without a tolerance, 0 or infinity."""
    if tolerance > 0:
        return abs(difference) / tolerance
    return 0.0 if difference == 0 else math.inf


def _text(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_text(item) for item in value) or "none"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
