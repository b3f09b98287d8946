"""Goodput over queueing delay: the points and intervals of figure and chart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from ackclock.report.record import ComparisonRecord

__all__ = ["delay_points", "ends"]


def ends(
    points: Mapping[str, Mapping[str, float]], value: str, half: str, scale: float
) -> tuple[list[float], list[float]]:
    """The ends of the intervals of one coordinate, and their half-widths."""
    halves = [point[half] * scale if math.isfinite(point[half]) else 0.0 for point in points.values()]
    middles = [point[value] * scale for point in points.values()]
    both = zip(middles, halves, strict=True)
    return [end for middle, by in both for end in (middle - by, middle + by)], halves


def delay_points(comparison: ComparisonRecord) -> dict[str, dict[str, float]]:
    """Queueing delay `x` in s and goodput `y` in bit/s by label, with half-widths `dx`, `dy` of intervals."""
    points: dict[str, dict[str, float]] = {}
    for label in comparison.labels:
        mine = comparison.summary.filter(pl.col("label") == label)
        rows = {row["metric"]: row for row in mine.iter_rows(named=True)}
        if "queueing_delay_s" in rows and "goodput_bit_per_s" in rows:
            x, y = rows["queueing_delay_s"], rows["goodput_bit_per_s"]
            points[label] = {
                "x": x["mean"],
                "y": y["mean"],
                "dx": (x["high"] - x["low"]) / 2,
                "dy": (y["high"] - y["low"]) / 2,
            }
    return points
