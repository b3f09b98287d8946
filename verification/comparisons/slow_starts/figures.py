"""The figures of the race: times by transfer, and time against losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

from ackclock.measures.statistics import Interval
from ackclock.report.figures import new_figure
from ackclock.report.style import BLUE, GREY, MATPLOTLIB, VERMILION
from verification.comparisons.slow_starts.judged import BASE, FILES, Group

__all__ = ["by_group", "by_transfer"]

TICKS = (0.5, 0.7, 1, 1.4, 2, 3, 4)


def by_transfer(found: Mapping[tuple[str, str], Interval], starts: Sequence[str]) -> Figure:
    """A panel per transfer, a row per start: the time over the base's, with its interval."""
    figure, panels = new_figure(1, len(FILES), height=0.9 + 0.2 * len(starts), sharey=True)
    with rc_context(MATPLOTLIB):
        for axis, transfer in zip(panels, FILES, strict=True):
            for row, start in enumerate(starts):
                interval = found[start, transfer]
                colour = (
                    GREY if interval.low <= 1 <= interval.high else BLUE if interval.high < 1 else VERMILION
                )
                ends = [[interval.estimate - interval.low], [interval.high - interval.estimate]]
                axis.errorbar(
                    interval.estimate, row, xerr=ends, fmt="o", color=colour, markersize=3.5, capsize=2
                )
            axis.axvline(1, color="#555555", linewidth=0.8, zorder=1)
            axis.set_xscale("log")
            axis.xaxis.set_major_locator(FixedLocator(list(TICKS)))
            axis.xaxis.set_minor_locator(NullLocator())
            axis.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            axis.tick_params(axis="x", labelsize=6)
            axis.set_title(transfer)
            axis.grid(visible=False, axis="y")
        panels[0].set_yticks(range(len(starts)), starts, fontsize=7)
        panels[0].set_ylim(len(starts) - 0.5, -0.5)
        figure.supxlabel(f"time, as a multiple of {BASE}'s", fontsize=8)
    return figure


def by_group(found: Sequence[Group], starts: Sequence[str]) -> Figure:
    """A map: starts down, groups across; the mean time over all transfers, and what the rule leaves out."""
    figure, (axis,) = new_figure(1, 1, height=1.3 + 0.2 * len(starts))
    grid = np.array([[np.log(group.overall[start].estimate) for group in found] for start in starts])
    with rc_context(MATPLOTLIB):
        axis.imshow(grid, cmap="RdBu_r", vmin=-0.35, vmax=0.35, aspect="auto")
        axis.grid(visible=False)
        axis.set_xticks(range(len(found)), [fill(group.name, 9) for group in found], fontsize=6)
        axis.set_yticks(range(len(starts)), starts, fontsize=6.5)
        for x, group in enumerate(found):
            for y, start in enumerate(starts):
                best = start == group.admitted[0]
                sign = (
                    "*" if best else "=" if start in group.alike else "" if start in group.admitted else "×"
                )
                ink = "white" if abs(grid[y][x]) > 0.25 else "black"
                text = f"{group.overall[start].estimate:.2f}{sign}"
                axis.text(x, y, text, fontsize=5.5, color=ink, ha="center", va="center")
    return figure
