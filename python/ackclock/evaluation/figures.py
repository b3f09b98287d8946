"""The figures of an evaluation: the values of a criterion's measures, cell by cell, with 95 % intervals."""

from __future__ import annotations

import math
import textwrap

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ackclock.evaluation.criterion import Measure
from ackclock.evaluation.evaluate import Judged
from ackclock.evaluation.sentences import mean_of
from ackclock.report import style
from ackclock.report.figures import new_figure
from ackclock.report.text import for_figures

__all__ = ["draw"]

TITLES, LETTERS = 60, 90
"""The letters of all axis titles side by side for which there is room, and of them and a setting's name."""


def draw(judged: Judged, labels: tuple[str, ...]) -> Figure:
    """A panel for each measure: a row for each cell, a marker for each algorithm."""
    measures = judged.criterion.measures
    height = 1.2 + 0.34 * len(judged.cells)
    with rc_context(style.MATPLOTLIB):
        figure, axes = new_figure(1, len(measures), height=height, sharey=True)
        for axis, measure in zip(axes, measures, strict=True):
            _panel(axis, judged, measure, labels)
        names = [for_figures(cell.name) for cell in judged.cells]
        axes[0].set_yticks(range(len(names)), names)
        axes[0].set_ylim(len(names) - 0.4, -0.6)
        handles, words = axes[0].get_legend_handles_labels()
        figure.legend(handles, words, loc="outside upper right", ncols=6)
    return figure


def _panel(axis: Axes, judged: Judged, measure: Measure, labels: tuple[str, ...]) -> None:
    looks = style.looks(labels)
    values = []
    for place, label in enumerate(labels):
        shift = 0.18 * (place - (len(labels) - 1) / 2)
        intervals = [mean_of(judged, cell, label, measure) for cell in judged.cells]
        x = [interval.estimate * measure.factor for interval in intervals]
        halves = [interval.half_width * measure.factor for interval in intervals]
        values += x
        axis.errorbar(
            x,
            [row + shift for row in range(len(x))],
            xerr=halves if all(map(math.isfinite, halves)) else None,
            fmt=looks[label].marker,
            color=looks[label].colour,
            markersize=4,
            linewidth=0.8,
            label=for_figures(label),
        )
    positive = [value for value in values if value > 0]
    if len(positive) == len(values) and max(positive) > 30 * min(positive):
        axis.set_xscale("log")
    else:
        axis.set_xlim(left=0)
    for row in range(1, len(judged.cells)):
        axis.axhline(row - 0.5, color="#dddddd", linewidth=0.5)
    axis.grid(visible=False, axis="y")
    unit = f" [{measure.unit}]" if measure.unit else ""
    room = max(20, min(TITLES, LETTERS - max(len(cell.name) for cell in judged.cells)))
    # Titles of neighbouring panels would lie over each other.
    title = textwrap.fill(f"{measure.title}{unit}", room // len(judged.criterion.measures))
    axis.set_xlabel(f"{title}\n({measure.better} is better)", fontsize=8)
