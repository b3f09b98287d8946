"""The figure of a finding: the algorithm's run next to another's, with the moment at which they part."""

from __future__ import annotations

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from ackclock.attacks.parting import SERIES, Parting, series, smoothed
from ackclock.measures.record import RunRecord
from ackclock.report import style
from ackclock.report.canvas import new_figure
from ackclock.report.text import for_figures

__all__ = ["draw"]

PANELS = ("goodput_bit_per_s", "rtt_s", "cwnd_packets", "retransmissions")
"""The series of the own flows, by column."""


def draw(mine: RunRecord, other: RunRecord, parted: Parting | None) -> Figure:
    """A panel for each series, with both runs in each."""
    looks = style.looks((mine.label, other.label))
    with rc_context(style.MATPLOTLIB):
        figure, axes = new_figure(len(PANELS), 1, height=0.6 + 1.15 * len(PANELS), sharex=True)
        for axis, column in zip(axes, PANELS, strict=True):
            name, unit, factor = SERIES[column]
            for result in (mine, other):
                times, values = series(result, column)
                if column == "goodput_bit_per_s":
                    values = smoothed(times, values)
                known = np.isfinite(values)
                axis.plot(
                    times[known],
                    values[known] * factor,
                    color=looks[result.label].colour,
                    linewidth=1.0,
                    label=for_figures(result.label),
                )
            if parted is not None:
                axis.axvline(parted.at_s, color=style.BLUE, linewidth=0.7, linestyle=":")
            axis.set_ylim(bottom=0)
            axis.set_ylabel(f"{name}\n[{unit}]", fontsize=7, rotation=0, ha="right", va="center")
        axes[0].legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False, fontsize=7)
        axes[-1].set_xlabel("time [s]")
    return figure
