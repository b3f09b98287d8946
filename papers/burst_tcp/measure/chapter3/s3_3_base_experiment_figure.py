"""The figure of the proposals and B-TCP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ackclock.measures.statistics import mean_interval
from ackclock.report.style import BLUE, MATPLOTLIB, ORANGE

from .s3_3_4_proposals import BURSTS, Proposal

__all__ = ["draw"]

Gains = Mapping[tuple[str, str, str], Sequence[float]]
NARROW = 7.0
"""Per cent to either side on today's stack, where most differ by less than three."""


def draw(
    gains: Gains, rows: Sequence[Proposal], stacks: Mapping[str, str], measures: Mapping[str, str]
) -> Figure:
    """A panel per stack, a line per proposal, a mark per class of files.

    The last stack has few proposals and stands below the second.
    """
    shown = [row for row in rows if row.solves or row in BURSTS]
    thesis, today, one_queue = stacks
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(7.2, 5.0), layout="constrained")
        grid = figure.add_gridspec(2, 2, height_ratios=(8, 1.2))
        panels = {
            thesis: figure.add_subplot(grid[:, 0]),
            today: figure.add_subplot(grid[0, 1]),
            one_queue: figure.add_subplot(grid[1, 1]),
        }
        for stack, axes in panels.items():
            with_results = [row for row in shown if (stack, row.key, next(iter(measures))) in gains]
            _panel(axes, gains, stack, with_results, measures, NARROW if stack == today else None)
            axes.set_title(stacks[stack])
        panels[thesis].set_xlabel("standard's time above it, %")
        panels[one_queue].set_xlabel("standard's time above it, %")
        panels[thesis].legend(loc="lower right")
    return figure


def _panel(
    axes: Axes,
    gains: Gains,
    stack: str,
    rows: Sequence[Proposal],
    measures: Mapping[str, str],
    most: float | None,
) -> None:
    """The proposals of one stack, from above; what is beyond `most` is written at the edge."""
    axes.axvline(0, color="0.6", linewidth=0.8)
    for offset, colour, marker, (name, of) in zip(
        (0.2, -0.2), (BLUE, ORANGE), "os", measures.items(), strict=True
    ):
        for number, row in enumerate(rows):
            place = len(rows) - 1 - number + offset
            value = mean_interval(gains[stack, row.key, name])
            if most is not None and abs(value.estimate) > most:
                side = 1 if value.estimate > 0 else -1
                axes.plot(side * most, place, ">" if side > 0 else "<", ms=3.5, color=colour, clip_on=False)
                axes.annotate(
                    f"{value.estimate:.1f} ± {value.half_width:.1f}", (side * most, place), (-6 * side, 0),
                    textcoords="offset points", va="center", ha="right" if side > 0 else "left",
                    fontsize=6, color=colour,
                )  # fmt: skip
            else:
                axes.errorbar(
                    value.estimate, place, xerr=value.half_width, fmt=marker, ms=3.5, color=colour,
                    label=of if number == 0 else None, elinewidth=0.9,
                )  # fmt: skip
    axes.set_yticks(range(len(rows))[::-1], [row.title for row in rows])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.grid(axis="y", linewidth=0.3, color="0.9")
    if most is not None:
        axes.set_xlim(-most, most)
