"""The rule of digits: a measured number, and a mean with the half-width of its interval, as texts."""

from __future__ import annotations

import math
from typing import Literal

__all__ = ["decimals", "number", "with_interval"]

MORE_DIGITS = 3
"""A number next to much larger ones gets up to this many more decimals before it is shown as zero."""


def number(value: float, digits: int) -> str:
    """A number for a table; a dash if it is not finite.

    A number that would be rounded to zero shows its first two digits, if they are not too far behind the
    point.
    """
    return _fixed(value, _enough(value, digits)) if math.isfinite(value) else "–"


def with_interval(mean: float, half: float, digits: int, sign: Literal["", "+"] = "") -> str:
    """A mean with the half-width of its interval, if that is finite: "918.2 ± 3.1".

    Both have the same decimals: `digits`, or more where the half-width would be rounded to zero otherwise.
    """
    if not math.isfinite(mean):
        return "–"
    places = decimals(mean, half, digits)
    if not math.isfinite(half):
        return _fixed(mean, places, sign)
    return f"{_fixed(mean, places, sign)} ± {_fixed(half, places)}"


def decimals(mean: float, half: float, digits: int) -> int:
    """The decimals of a mean and of its interval: at least `digits`."""
    return _enough(half if math.isfinite(half) else mean, digits)


def _enough(value: float, digits: int) -> int:
    """The decimals with which a number is not rounded to zero, if they are not far off."""
    is_shown = round(abs(value), digits + MORE_DIGITS) > 0
    if digits > 0 and is_shown and abs(value) < 0.5 * 10**-digits:
        return min(digits + MORE_DIGITS, 1 - math.floor(math.log10(abs(value))))
    return digits


def _fixed(value: float, digits: int, sign: Literal["", "+"] = "") -> str:
    # Adding zero makes the zero of a number below it positive.
    return f"{round(value, digits) + 0.0:{sign},.{digits}f}".replace(",", "\u2009")
