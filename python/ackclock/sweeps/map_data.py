"""The map in a sweep's report: every metric over two axes of the grid, which the reader chooses."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

import matplotlib as mpl
import polars as pl
from matplotlib.colors import to_hex

from ackclock.measures import metrics
from ackclock.measures.digits import decimals
from ackclock.report import style
from ackclock.report.text import printable
from ackclock.sweeps import figures, heat_maps
from ackclock.sweeps.plan import Axis

if TYPE_CHECKING:
    from ackclock.sweeps.record import SweepRecord

__all__ = ["map_data"]

MOST_CELLS = 200_000
"""The most means in a page; the tables have all means."""

COLOUR_STEPS = 32


def map_data(sweep: SweepRecord) -> dict[str, object] | None:
    """Axes, algorithms and metrics as a JSON object for the report's script; None without two axes.

    The means of a metric stand in one list, in the unit displayed: the last axis and then the algorithms vary
    fastest. A mean is None if no run has the metric. `decimals` are those of a mean and its interval.
    """
    axes = [axis for axis in sweep.plan.axes if len(axis.values) > 1]
    if sweep.plan.design is not None or len(axes) < 2:
        return None
    axes.sort(key=lambda axis: (not figures.scale_of(axis).is_numeric, -len(axis.values)))
    labels = list(sweep.plan.algorithms)
    cells = math.prod(len(axis.values) for axis in axes) * len(labels)
    main = figures.main_metrics(sweep)
    others = [key for key in metrics.KEYS if key not in main and key in set(sweep.summary["metric"])]
    keys = [*main, *others][: max(len(main), MOST_CELLS // cells)]
    looks = style.looks(labels)
    colours = mpl.colormaps[heat_maps.COLOURS]
    return {
        "axes": [_axis(axis, sweep.plan.titles[axis.name]) for axis in axes],
        "algorithms": [{"label": printable(label), "colour": looks[label].colour} for label in labels],
        "metrics": [_metric(sweep, key, axes, labels) for key in keys],
        "colours": [to_hex(colours(step / COLOUR_STEPS)) for step in range(COLOUR_STEPS + 1)],
    }


def _axis(axis: Axis, title: str) -> dict[str, object]:
    scale = figures.scale_of(axis)
    values = [printable(heat_maps.tick(value, scale.unit)) for value in scale.positions]
    return {"title": printable(title), "unit": scale.unit, "values": values}


def _metric(sweep: SweepRecord, key: str, axes: list[Axis], labels: list[str]) -> dict[str, object]:
    rows = sweep.summary.filter(pl.col("metric") == key)
    title, unit, factor = figures.described(key, float(rows["mean"].abs().max() or 0))  # type: ignore[arg-type]
    names = [axis.name for axis in axes]
    found = {(*(row[name] for name in names), row["label"]): row for row in rows.iter_rows(named=True)}
    places = product(*(figures.scale_of(axis).positions for axis in axes), labels)
    cells = [found.get(place) for place in places]
    means = [cell["mean"] * factor if cell else math.nan for cell in cells]
    halves = [(cell["high"] - cell["low"]) / 2 * factor if cell else math.nan for cell in cells]
    shown = [
        decimals(mean, half, heat_maps.three_digits(mean)) for mean, half in zip(means, halves, strict=True)
    ]
    return {
        "title": title,
        "unit": unit,
        "meaning": metrics.metric(key).meaning if key in metrics.KEYS else "",
        "mean": [_rounded(mean, places) for mean, places in zip(means, shown, strict=True)],
        "half": [_rounded(half, places) for half, places in zip(halves, shown, strict=True)],
        "decimals": shown,
        "seeds": [cell["n"] if cell else 0 for cell in cells],
    }


def _rounded(value: float, places: int) -> float | None:
    """As the page shows it, which rounds once: 19.35446 with three decimals is 19.354."""
    return round(value, places) if math.isfinite(value) else None
