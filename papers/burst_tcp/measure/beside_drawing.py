"""The figure of the proposals beside B-TCP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from ackclock.measures.statistics import mean_interval
from ackclock.report.style import BLUE, MATPLOTLIB, ORANGE

from .proposals import BURSTS, Proposal

__all__ = ["draw"]


def draw(
    gains: Mapping[tuple[str, str, str], Sequence[float]],
    rows: Sequence[Proposal],
    stacks: Mapping[str, str],
    measures: Mapping[str, str],
) -> Figure:
    """A panel per stack, a line per proposal, a mark per class of files."""
    shown = [row for row in rows if row.solves or row in BURSTS]
    places = np.arange(len(shown))[::-1]
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(6.6, 3.9), layout="constrained")
        panels = figure.subplots(1, len(stacks), sharey=True)
        for axes, (stack, title) in zip(panels, stacks.items(), strict=True):
            axes.axvline(0, color="0.7", linewidth=0.8)
            for offset, colour, marker, (name, of) in zip(
                (0.16, -0.16), (BLUE, ORANGE), "os", measures.items(), strict=True
            ):
                values = [
                    (place, mean_interval(gains[stack, row.key, name]))
                    for place, row in zip(places, shown, strict=True)
                    if (stack, row.key, name) in gains
                ]
                axes.errorbar(
                    [value.estimate for _, value in values], [place + offset for place, _ in values],
                    xerr=[value.half_width for _, value in values], fmt=marker, ms=3.5, color=colour,
                    label=of, elinewidth=0.9,
                )  # fmt: skip
            axes.set_title(title)
            axes.set_xlabel("standard's time above it, %")
        panels[0].set_yticks(places, [row.title for row in shown])
        panels[-1].legend(loc="best")
    return figure
