"""The figure of Table I."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from ackclock.measures.statistics import mean_interval
from ackclock.report.style import BLUE, GREEN, MATPLOTLIB, VERMILION

from .s3_3_4_proposals import PROBLEMS, Proposal

__all__ = ["draw"]

MOST = 2.0
"""Larger shares are drawn here."""


def draw(found: Mapping[tuple[str, str], list[float]], rows: Sequence[Proposal], solved: float) -> Figure:
    """A panel per problem, a line per proposal."""
    places = np.arange(len(rows))[::-1]
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(7.6, 4.4), layout="constrained")
        panels = figure.subplots(1, len(PROBLEMS), sharey=True)
        for column, (axes, (problem, title)) in enumerate(zip(panels, PROBLEMS.items(), strict=True)):
            axes.axvline(1, color="0.8", linewidth=0.8)
            axes.axvline(solved, color=VERMILION, linewidth=0.8, dashes=(4, 2))
            for place, proposal in zip(places, rows, strict=True):
                interval = mean_interval(found[proposal.key, problem])
                says = proposal.solves[column : column + 1]
                colour = BLUE if says else GREEN
                axes.errorbar(
                    min(interval.estimate, MOST), place, xerr=min(interval.half_width, MOST),
                    fmt="o" if says else "D",
                    ms=4, color=colour, markerfacecolor="white" if says == "N" else colour, elinewidth=0.9,
                )  # fmt: skip
            axes.set_xlim(-0.12, MOST + 0.12)
            first, rest = title.rsplit(" ", 1)
            axes.set_title(f"{first}\n{rest}", fontsize=8)
            axes.set_xticks([0, 1, 2])
        panels[0].set_yticks(places, [proposal.title for proposal in rows])
        panels[len(PROBLEMS) // 2].set_xlabel("share of standard TCP's quantity (2: 2 and more)")
    return figure
