"""Figures 2 and 3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FormatStrFormatter

from ackclock.measures.statistics import mean_interval
from ackclock.report.style import BLUE, MATPLOTLIB, VERMILION

from ..file_runs import Floats
from .load_point import Point

GREY = "#7a7a7a"


def collapse(curves: Mapping[int, Sequence[Point]]) -> Figure:
    """Goodput over what is sent, and what becomes of the queue and of the link's work."""
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(6.3, 2.7), layout="constrained")
        left, right = figure.subplots(1, 2)
        for (queue, points), colour, marker in zip(curves.items(), (VERMILION, BLUE), "os", strict=True):
            sent = [point.sent for point in points]
            label = f"queue of {queue} packets"
            left.plot(
                sent, [point.goodput for point in points], marker=marker, ms=3, color=colour, label=label
            )
            right.plot(
                sent, [point.needless for point in points], marker=marker, ms=3, color=colour, label=label
            )
        ideal = np.geomspace(0.1, 40)
        left.plot(ideal, np.minimum(ideal, 1), color=GREY, lw=0.8, dashes=(4, 2))
        left.set(ylabel="goodput / link's rate", title="Figure 2", ylim=(0, 1.05))
        right.set(ylabel="share of it carried in vain", title="needless repetitions", ylim=(0, 1.05))
        for axes in (left, right):
            axes.set(xscale="log", xlabel="sent / link's rate")
            axes.xaxis.set_major_formatter(FormatStrFormatter("%g"))
        right.legend(loc="upper left")
    return figure


def ring(loads: Sequence[float], received: Floats, ideal: Floats) -> Figure:
    """Received over sent, and the picture of a random choice."""
    intervals = [mean_interval(list(row)) for row in received]
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(6.3, 2.6), layout="constrained")
        axes = figure.subplots()
        middle = [interval.estimate for interval in intervals]
        half = np.nan_to_num([interval.half_width for interval in intervals])
        axes.errorbar(loads, middle, yerr=half, color=BLUE, marker="o", ms=3, capsize=2, label="measured")
        axes.plot(loads, ideal, color=GREY, lw=0.8, dashes=(4, 2), label="random choice")
        axes.axvline(0.5, color=GREY, lw=0.6, dashes=(1, 2))
        axes.set(xscale="log", xlabel="λ_src / τ", ylabel="λ_rec / τ", title="Figure 3", ylim=(0, 0.55))
        axes.xaxis.set_major_formatter(FormatStrFormatter("%g"))
        axes.legend()
    return figure
