"""The rule of digits: a measured number, and a mean with the half-width of its interval, as texts."""

from __future__ import annotations

import math
from typing import Literal

__all__ = ["decimals", "number", "with_interval"]

MORE_DIGITS = 3
"""A number next to much larger ones gets up to this many more decimals before it is shown as zero."""


def number(value: float, digits: int) -> str:
    """A number for a table; a dash if it is not finite.

    A number below the last decimal shows its first two digits, if they are not too far behind the point.
    """
    return _fixed(value, _enough(value, digits, least=1.0)) if math.isfinite(value) else "–"


def with_interval(mean: float, half: float, digits: int, sign: Literal["", "+"] = "") -> str:
    """A mean with the half-width of its interval, if that is finite: "918.2 ± 3.1".

    Both have the same decimals: `digits`, or more where the half-width, or a mean beyond it, would be rounded
    to zero otherwise. A difference, which has a `sign`, is never zero where its interval excludes zero.
    """
    if not math.isfinite(mean):
        return "–"
    places = decimals(mean, half, digits)
    if sign and abs(mean) > half and round(mean, places) == 0:
        places = 1 - math.floor(math.log10(abs(mean)))
    if not math.isfinite(half):
        return _fixed(mean, places, sign)
    return f"{_fixed(mean, places, sign)} ± {_fixed(half, places)}"


def decimals(mean: float, half: float, digits: int) -> int:
    """The decimals of a mean and of its interval: at least `digits`."""
    if not math.isfinite(half):
        return _enough(mean, digits, least=1.0)
    places = _enough(half, digits)
    return max(places, _enough(mean, digits, least=1.0)) if abs(mean) > half else places


def _enough(value: float, digits: int, least: float = 0.5) -> int:
    """The decimals for two digits of a number below `least` of the last decimal, if they are not far off.

    Half of the last decimal is rounded to zero, and 0.08 to 0.1.
    """
    is_shown = round(abs(value), digits + MORE_DIGITS) > 0
    if digits > 0 and is_shown and abs(value) < least * 10**-digits:
        return min(digits + MORE_DIGITS, 1 - math.floor(math.log10(abs(value))))
    return digits


def _fixed(value: float, digits: int, sign: Literal["", "+"] = "") -> str:
    # Adding zero makes the zero of a number below it positive.
    return f"{round(value, digits) + 0.0:{sign},.{digits}f}".replace(",", "\u2009")
