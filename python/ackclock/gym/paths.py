"""Values of a scenario that are drawn anew for each episode."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from ackclock.errors import InputError

__all__ = ["Range", "draw"]

Range = tuple[object, object] | Sequence[object]
"""A tuple is a range of quantities of one unit, `("5 Mbit/s", "50 Mbit/s")`; a list has the values."""

QUANTITY = re.compile(r"\s*(?P<number>[-+.\deE]*\d)\s*(?P<unit>\D*)")


def draw(ranges: Mapping[str, Range], random: np.random.Generator) -> dict[str, str]:
    """A value for each path: uniform in a range, or one of a list with equal chances. Raises InputError."""
    drawn: dict[str, str] = {}
    for path, values in ranges.items():
        if isinstance(values, tuple):
            low, high, unit = _range(path, values)
            whole = _whole(values)
            number = random.integers(int(low), int(high) + 1) if whole else random.uniform(low, high)
            drawn[path] = f"{number} {unit}".strip()
        else:
            drawn[path] = str(values[int(random.integers(len(values)))])
    return drawn


def _whole(values: tuple[object, ...]) -> bool:
    """True if a range is of whole numbers: packets, flows."""
    return not any("." in str(value) for value in values) and any("packets" in str(value) for value in values)


def _range(path: str, values: tuple[object, ...]) -> tuple[float, float, str]:
    parsed = [QUANTITY.fullmatch(str(value)) for value in values]
    if len(parsed) != 2 or parsed[0] is None or parsed[1] is None or parsed[0]["unit"] != parsed[1]["unit"]:
        raise InputError(
            f'{path}: found {values!r}; a range is two quantities of one unit, as ("5 Mbit/s", "50 Mbit/s"), '
            "a list holds the values themselves"
        )
    low, high = float(parsed[0]["number"]), float(parsed[1]["number"])
    if low > high:
        raise InputError(f"{path}: found {values!r}; the smaller quantity comes first")
    return low, high, parsed[0]["unit"].strip()
