"""A chart of the report as JSON, and groups of them."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

__all__ = ["Chart", "ChartGroup", "packed"]

Chart = dict[str, object]
"""One chart as JSON: axes, curves, dots, and a text for readers who cannot see the chart."""


@dataclass(frozen=True)
class ChartGroup:
    """Charts of one quantity, with their title and explanation."""

    key: str
    title: str
    text: str
    charts: tuple[Chart, ...]

    @property
    def is_wide(self) -> bool:
        """True if each chart takes the whole width: a single chart, and the sawtooth of the windows."""
        return len(self.charts) == 1 or self.key == "window"


def packed(values: Iterable[float]) -> str:
    """Single-precision numbers in base 64, which takes a third of the length of their digits."""
    return base64.b64encode(np.asarray(values, dtype="<f4").tobytes()).decode("ascii")
