"""Heat maps of a coexistence: a row for each incumbent, a column for each newcomer, a panel per buffer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ackclock.evaluation.coexistence import Coexistence, Pair
from ackclock.measures.statistics import Interval
from ackclock.report import style
from ackclock.report.canvas import new_panels
from ackclock.report.text import for_figures

__all__ = ["CELLS", "HARM_COLOURS", "SHARE_COLOURS", "harm_map", "heat_panel", "share_map"]

COLUMNS = 3

CELLS = 9
"""The most columns of cells that leave room for the intervals."""

HARM_COLOURS, SHARE_COLOURS = "PuOr_r", "PuOr"
"""Two colours with white between them, distinguishable with every common colour blindness; orange is bad."""


def share_map(coexistence: Coexistence) -> Figure:
    """The incumbents' share of the goodput, white at one half."""
    colours = mpl.colors.Normalize(0, 1)
    return _draw(
        coexistence, "share of the incumbents [%]", lambda pair: pair.share, colours, SHARE_COLOURS, 100
    )


def harm_map(coexistence: Coexistence, key: str, title: str) -> Figure:
    """Harm to the incumbents, white at none; below -1 the colour is that of -1."""
    colours = mpl.colors.Normalize(-1, 1)
    heading = f"harm to the incumbents: {title}"
    return _draw(coexistence, heading, lambda pair: pair.harm[key].interval, colours, HARM_COLOURS, 1)


def _draw(
    coexistence: Coexistence,
    heading: str,
    value: Callable[[Pair], Interval],
    colours: mpl.colors.Normalize,
    map_name: str,
    factor: float,
) -> Figure:
    buffers, labels = coexistence.setting.buffers_bdp, coexistence.labels
    columns = max(1, min(COLUMNS, len(buffers), CELLS // len(labels)))
    height = 0.75 + 0.42 * len(labels)
    figure, panels = new_panels(len(buffers), columns, height, around=0.8, sharey=True)
    with mpl.rc_context(style.MATPLOTLIB):
        for panel, buffer in zip(panels, buffers, strict=True):
            grid = [[value(coexistence.pair(old, new, buffer)) for new in labels] for old in labels]
            heat_panel(panel, grid, (labels, labels), colours, map_name, factor)
            panel.set_title(f"buffer {buffer:g} BDP")
        figure.suptitle(for_figures(heading), fontsize=9, fontweight="bold", x=0.01, ha="left")
        figure.supxlabel("newcomer", fontsize=9)
        figure.supylabel("incumbent", fontsize=9)
    return figure


def heat_panel(
    panel: Axes,
    grid: list[list[Interval]],
    labels: tuple[Sequence[str], Sequence[str]],
    colours: mpl.colors.Normalize,
    map_name: str,
    factor: float,
) -> None:
    """Draws a number with its interval into each cell, a row for each list of the grid.

    `labels` are those of the rows and those of the columns.
    """
    means = [[interval.estimate for interval in row] for row in grid]
    panel.imshow(means, cmap=map_name, norm=colours, aspect="auto")
    for y, row in enumerate(grid):
        for x, interval in enumerate(row):
            ink = "black" if 0.22 < colours(interval.estimate) < 0.84 else "white"
            _write(panel, (x, y), _number(interval.estimate * factor, factor), 7.5, ink, "bottom")
            if math.isfinite(interval.low) and interval.low < interval.high:
                low, high = (_number(bound * factor, factor) for bound in (interval.low, interval.high))
                _write(panel, (x, y), f"{low} to {high}", 5, ink, "top")
    panel.grid(visible=False)
    rows, columns = ([for_figures(label) for label in axis] for axis in labels)
    long = max(map(len, labels[1])) > 6
    panel.set_xticks(
        range(len(columns)),
        columns,
        fontsize=7.5,
        rotation=35 if long else 0,
        ha="right" if long else "center",
    )
    panel.set_yticks(range(len(rows)), rows, fontsize=7.5)


def _write(panel: Axes, place: tuple[int, int], text: str, size: float, ink: str, edge: str) -> None:
    """Writes text into a cell, with its top or bottom edge slightly below the middle."""
    panel.annotate(
        text, place, (0, -2), textcoords="offset points", ha="center", va=edge, fontsize=size, color=ink
    )


def _number(value: float, factor: float) -> str:
    text = f"{value:.0f}" if factor > 1 else f"{value:.2f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")
