"""Curves over time: their panels and figures, and their reduction to as many points as a figure can show."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ackclock.report import style
from ackclock.report.quantities import Quantity

__all__ = ["Curve", "Floats", "Panel", "TimeFigure", "thinned"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """One line: `time` in seconds, `value` in its quantity's unit, shapes (n,); NaN breaks the line."""

    label: str
    look: style.Look
    time: Floats
    value: Floats
    is_step: bool = False
    is_auxiliary: bool = False
    """True for a threshold, drawn thin and dashed."""
    is_strokes: bool = False
    """True for strokes with gaps between them, drawn thick: one may be lower than a line is wide."""


@dataclass(frozen=True)
class Panel:
    """One set of axes."""

    title: str
    curves: tuple[Curve, ...]
    marks: Floats = field(default_factory=lambda: np.empty(0))
    """The times of drops, or of other events, in seconds."""
    marked: str = "drop"
    """The event that marks stand for."""


@dataclass(frozen=True)
class TimeFigure:
    """One quantity over time in one panel or several with the same axes."""

    quantity: Quantity
    panels: tuple[Panel, ...]
    note: str = ""
    span_s: tuple[float, float] | None = None
    """The time shown; None for the whole run."""


def thinned(time: Floats, value: Floats, points: int) -> tuple[Floats, Floats]:
    """About `points` of the samples, among them the lowest and the highest of each stretch of time."""
    n = time.size
    if n <= points:
        return time, value
    width = -(-2 * n // points)
    padded = np.full(-(-n // width) * width, np.nan)
    padded[:n] = value
    stretches = padded.reshape(-1, width)
    known = np.isfinite(stretches)
    first = np.arange(stretches.shape[0]) * width
    keep = [
        first + np.where(known, stretches, np.inf).argmin(axis=1),
        first + np.where(known, stretches, -np.inf).argmax(axis=1),
        np.flatnonzero(np.diff(np.isfinite(value)) != 0),  # the ends of gaps in the line
        np.flatnonzero(np.diff(np.isfinite(value)) != 0) + 1,
        np.array([0, n - 1]),
    ]
    index = np.unique(np.concatenate(keep))
    index = index[index < n]
    return time[index], value[index]
