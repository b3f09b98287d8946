"""Heat maps of a sweep: a metric over two axes, a panel per algorithm, cells with mean and interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import matplotlib as mpl
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ackclock.measures.digits import with_interval
from ackclock.report import style
from ackclock.report.canvas import new_panels
from ackclock.report.text import for_figures
from ackclock.sweeps.figures import described, scale_of
from ackclock.sweeps.plan import Axis, Plan, Value

if TYPE_CHECKING:
    from ackclock.sweeps.record import SweepRecord

__all__ = ["COLOURS", "draw", "three_digits", "tick"]

LEAST_VALUES = 3
"""The least number of values of an axis in a map."""
COLUMNS = 3
COLOURS = "cividis"
"""A colour map that is legible with every common colour blindness, and in grey."""


def draw(
    sweep: SweepRecord,
    key: str,
    bounds: tuple[float, float] | None = None,
    width: float | str | None = None,
) -> list[tuple[str, Figure]]:
    """A figure for each combination of the remaining axes, with its name in words; none without two axes.

    The abscissa is the numeric axis with most values, the ordinate the next one. Colours span `bounds` (in
    the unit displayed), or the range of the means. A cell has the mean and half of its 95 % interval.
    """
    wide = [axis for axis in sweep.plan.axes if len(axis.values) >= LEAST_VALUES]
    wide.sort(key=lambda axis: (not scale_of(axis).is_numeric, -len(axis.values)))
    rows = sweep.summary.filter(pl.col("metric") == key)
    if len(wide) < 2 or rows.is_empty():
        return []
    across, up = wide[:2]
    others = [axis.name for axis in sweep.plan.axes if axis not in (across, up) and len(axis.values) > 1]
    groups = [((), rows)] if not others else list(rows.group_by(others, maintain_order=True))
    title, unit, factor = described(key, float(rows["mean"].abs().max() or 0))  # type: ignore[arg-type]
    drawn = []
    for values, mine in groups:
        said = ", ".join(
            f"{sweep.plan.titles[name]} {value}" for name, value in zip(others, values, strict=True)
        )
        shown = mine.with_columns(pl.col("mean", "low", "high") * factor)
        heading = f"{title}{f' [{unit}]' if unit else ''}{f', {said}' if said else ''}"
        drawn.append((said, _figure(shown, sweep.plan, across, up, heading, bounds, width)))
    return drawn


def _figure(
    rows: pl.DataFrame,
    plan: Plan,
    across: Axis,
    up: Axis,
    heading: str,
    bounds: tuple[float, float] | None,
    width: float | str | None,
) -> Figure:
    labels, titles = list(plan.algorithms), plan.titles
    low, high = bounds or (float(rows["mean"].min()), float(rows["mean"].max()))  # type: ignore[arg-type]
    colours = mpl.colors.Normalize(low, high if high > low else low + 1)
    columns = min(max(1, int(style.width_inches(width) / 2)), COLUMNS)
    height = 0.35 + 0.3 * len(_measured(up, rows))
    figure, panels = new_panels(len(labels), columns, height, width, around=0.9, sharex=True, sharey=True)
    with mpl.rc_context(style.MATPLOTLIB):
        for panel, label in zip(panels, labels, strict=True):
            _panel(panel, rows.filter(pl.col("label") == label), rows, (across, up), colours)
            panel.set_title(for_figures(label))
        figure.suptitle(for_figures(heading), fontsize=9, fontweight="bold", x=0.01, ha="left")
        for axis, write in ((across, figure.supxlabel), (up, figure.supylabel)):
            unit = scale_of(axis).unit
            title = titles[axis.name]
            write(for_figures(f"{title} [{unit}]" if unit else title), fontsize=9)
    return figure


def _measured(axis: Axis, rows: pl.DataFrame) -> dict[Value, float]:
    """The values of an axis that have measurements, with their positions."""
    there = set(rows[axis.name].to_list())
    return {value: place for value, place in scale_of(axis).positions.items() if value in there}


def _panel(
    panel: Axes,
    rows: pl.DataFrame,
    everything: pl.DataFrame,
    axes: tuple[Axis, Axis],
    colours: mpl.colors.Normalize,
) -> None:
    across, up = axes
    columns, lines = (_measured(axis, everything) for axis in (across, up))
    x_of, y_of = ({value: place for place, value in enumerate(positions)} for positions in (columns, lines))
    grid = [[math.nan] * len(x_of) for _ in y_of]
    for row in rows.iter_rows(named=True):
        x, y = x_of[row[across.name]], y_of[row[up.name]]
        grid[y][x] = row["mean"]
        half = (row["high"] - row["low"]) / 2
        ink = "white" if colours(row["mean"]) < 0.55 else "black"
        mean, _, interval = with_interval(row["mean"], half, three_digits(row["mean"])).partition(" ± ")
        _write(panel, (x, y), mean, 7, ink, "bottom")
        if interval:
            _write(panel, (x, y), f"± {interval}", 5, ink, "top")
    panel.imshow(grid, cmap=COLOURS, norm=colours, aspect="auto", origin="lower")
    panel.grid(visible=False)
    for axis, positions, write in ((across, columns, panel.set_xticks), (up, lines, panel.set_yticks)):
        unit = scale_of(axis).unit
        write(range(len(positions)), [for_figures(tick(value, unit)) for value in positions], fontsize=7)


def tick(value: Value, unit: str) -> str:
    """The value in the plan's notation (1e-5, not Python's 1e-05), without the unit, which the axis has."""
    return str(value).removesuffix(unit).strip().replace("e-0", "e-")


def _write(
    panel: Axes, place: tuple[int, int], text: str, size: float, ink: str, edge: Literal["top", "bottom"]
) -> None:
    """Writes text into a cell, with its top or bottom edge slightly below the middle."""
    x, y = place
    panel.annotate(
        text, (x, y), (0, -2), textcoords="offset points", ha="center", va=edge, fontsize=size, color=ink
    )


def three_digits(value: float) -> int:
    """The decimals of a number with three digits; with four just below a hundred: 99.96 % is not 100 %."""
    return 0 if abs(value) >= 99.95 else 2 if abs(value) < 1 else 1
