"""The shares of competitors in print, with intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from ackclock.report import style
from ackclock.report.canvas import new_figure
from ackclock.report.competitors import shares
from ackclock.report.text import for_figures

if TYPE_CHECKING:
    from ackclock.report.record import ComparisonRecord

__all__ = ["share_bars"]


def share_bars(comparison: ComparisonRecord, width: float | str | None = None) -> Figure:
    """A bar for each competitor's share of the goodput, with its 95 % interval; dashed, an equal share."""
    figure, (axis,) = new_figure(height=2.4, width=width)
    rows, looks = shares(comparison), style.looks(comparison.labels)
    for position, row in enumerate(rows.iter_rows(named=True)):
        mean, half = 100 * row["mean"], 50 * (row["high"] - row["low"])
        axis.bar(position, mean, width=0.62, color=looks[row["label"]].colour)
        is_certain = math.isfinite(half) and not comparison.seeds_alike
        if is_certain:
            axis.errorbar(position, mean, yerr=half, color="#222222", capsize=3, linewidth=1)
        above = (position, mean + (half if is_certain else 0))
        axis.annotate(
            f"{mean:.1f}", above, xytext=(0, 3), textcoords="offset points", ha="center", fontsize=8
        )
    axis.axhline(100 / rows.height, color="#888888", linewidth=0.8, linestyle=(0, (4, 2)))
    axis.set_xticks(range(rows.height), [for_figures(label) for label in rows["label"]])
    axis.grid(visible=False, axis="x")
    axis.margins(y=0.12)
    axis.set_ylabel("share of the goodput [%]")
    return figure
