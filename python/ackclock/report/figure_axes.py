"""The axes of a figure in SVG: boxes, the transforms that ticks determine, and lines."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import NDArray

__all__ = ["SVG", "Axis", "Floats", "box_of", "kept", "lines_of", "number", "place_of", "share", "ticks_of"]

SVG = "{http://www.w3.org/2000/svg}"
NEAR = 0.2
"""The distance, in points of the page, below which a point is left out of a line."""
STEP = 0.1
"""Coordinates are rounded to this, in points of the page."""

Floats = NDArray[np.float64]


@dataclass
class Axis:
    """The transform of an axis: the `values` at its two `ends` on the page, linear or logarithmic."""

    ends: tuple[float, float]
    values: tuple[float, float] = (0.0, 1.0)
    is_log: bool = False
    ticks: list[tuple[float, float]] = field(default_factory=list)
    """Positions on the page of the ticks with numbers, and the numbers."""

    def fit(self) -> bool:
        """Determines the transform from the ticks. False if they do not suffice."""
        if len({place for place, _ in self.ticks}) < 2:
            return False
        place, value = np.array(self.ticks).T
        for is_log in (False, True):
            if is_log and value.min() <= 0:
                return False
            slope, offset = np.polyfit(place, np.log10(value) if is_log else value, 1)
            if slope == 0:
                continue
            missed = (np.log10(value) if is_log else value) - (slope * place + offset)
            if np.abs(missed / slope).max() < 0.3:
                low, high = (slope * end + offset for end in self.ends)
                self.is_log = is_log
                self.values = (10**low, 10**high) if is_log else (low, high)
                return True
        return False

    def rounded(self, page: Floats) -> list[float | int | None]:
        """Positions on the page as values of the axis, with the digits that matter at a tenth of a point."""
        part = (page - self.ends[0]) / (self.ends[1] - self.ends[0])
        first, last = (math.log10(value) if self.is_log else value for value in self.values)
        found = first + part * (last - first)
        step = abs(last - first) * STEP / abs(self.ends[1] - self.ends[0])
        if self.is_log:
            digits = max(2, math.ceil(-math.log10(step * math.log(10))) + 1)
            return [number(f"{10**value:.{digits}g}") if math.isfinite(value) else None for value in found]
        decimals = math.ceil(-math.log10(step))
        return [number(round(value, decimals)) if math.isfinite(value) else None for value in found]

    def document(self) -> list[object]:
        """Kind, values and places of the two ends."""
        kind = "log" if self.is_log else "linear"
        return [kind, *(number(f"{value:.7g}") for value in self.values), *map(place_of, self.ends)]


def number(value: float | str) -> float | int:
    """A number as JSON writes it shortest."""
    found = float(value)
    return int(found) if found.is_integer() and abs(found) < 1e15 else found


def place_of(value: float) -> float | int:
    """A place on the page."""
    return number(round(value, 1))


def box_of(group: ET.Element) -> tuple[float, float, float, float] | None:
    """Left, top, right and bottom of a set of axes, from its background."""
    for patch in group:
        if patch.get("id", "").startswith("patch"):
            path = patch.find(f"{SVG}path")
            if path is None:
                return None
            ((x, y), *_) = lines_of(path.get("d", ""))
            return float(x.min()), float(y.min()), float(x.max()), float(y.max())
    return None


def ticks_of(group: ET.Element, axis: str) -> Iterator[tuple[float, float]]:
    """The places of the ticks of an axis whose labels are numbers, with the numbers."""
    for tick in group.iter(f"{SVG}g"):
        if not tick.get("id", "").startswith(f"{axis}tick"):
            continue
        place = _tick_place(tick, axis)
        value = _tick_value(tick)
        if place is not None and value is not None:
            yield place, value


def _tick_place(tick: ET.Element, axis: str) -> float | None:
    for element in tick.iter():
        if element.tag == f"{SVG}use":
            return float(element.attrib[axis])
    for path in tick.iter(f"{SVG}path"):
        if numbers := re.findall(r"-?[\d.]+", path.get("d", "")):
            return float(numbers["xy".index(axis)])
    return None


def _tick_value(tick: ET.Element) -> float | None:
    for comment in tick.iter(ET.Comment):  # type: ignore[arg-type]
        if power := re.search(r"10\^\{(.?\d+)\}", comment.text or ""):
            return math.pow(10, float(power[1].replace("−", "-")))
    words = "".join(text for element in tick.iter(f"{SVG}text") for text in element.itertext())
    try:
        return float("".join(words.replace("−", "-").split()))
    except ValueError:
        return None


def share(panels: Sequence[Sequence[Axis]]) -> None:
    """Fits every axis; one without numbers has the transform of another with the same ends."""
    for place in (0, 1):
        axes = [panel[place] for panel in panels]
        fitted = [axis for axis in axes if axis.fit()]
        for axis in axes:
            if axis in fitted:
                continue
            for other in fitted:
                if max(abs(a - b) for a, b in zip(axis.ends, other.ends, strict=True)) < 0.05:
                    axis.values, axis.is_log = other.values, other.is_log


def lines_of(d: str, moved: tuple[float, float] = (0.0, 0.0)) -> list[tuple[Floats, Floats]]:
    """The straight lines of a path, each as its x and y."""
    lines = []
    for part in d.split("M")[1:]:
        numbers = np.array(re.findall(r"-?[\d.]+(?:e-?\d+)?", part), dtype=float)
        lines.append((numbers[0::2] + moved[0], numbers[1::2] + moved[1]))
    return [line for line in lines if line[0].size]


def kept(x: Floats, y: Floats) -> NDArray[np.bool_]:
    """The points that the look of a line needs (Ramer, Douglas and Peucker)."""
    shown = np.zeros(x.size, dtype=bool)
    shown[[0, -1]] = True
    spans = [(0, x.size - 1)]
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        inner = slice(first + 1, last)
        dx, dy = x[last] - x[first], y[last] - y[first]
        length = math.hypot(dx, dy)
        if length > 0:
            off = np.abs(dx * (y[inner] - y[first]) - dy * (x[inner] - x[first])) / length
        else:
            off = np.hypot(x[inner] - x[first], y[inner] - y[first])
        worst = int(off.argmax())
        if off[worst] > NEAR:
            middle = first + 1 + worst
            shown[middle] = True
            spans += [(first, middle), (middle, last)]
    return shown
