"""Interactive charts of the report as JSON. The page draws a chart when the reader scrolls to it.

`templates/charts.js.j2` draws them by BokehJS: zoom and pan are linked in time, values appear on hover, and a
click on the legend hides a curve.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ackclock.measures import metrics
from ackclock.report import style, waterfall
from ackclock.report.chart import Chart, ChartGroup, packed
from ackclock.report.curves import Panel, TimeFigure
from ackclock.report.delays import delay_points, ends
from ackclock.report.span import shown_until_s
from ackclock.report.spread_charts import GOODPUT, metric_chart, spread
from ackclock.report.time_figures import time_figures
from ackclock.report.transfer_figures import TimePanel, transfer_figure, user_figure

if TYPE_CHECKING:
    from ackclock.report.record import ComparisonRecord

__all__ = ["ChartGroup", "charts", "library"]

GREY = "#888888"
ROOM = 0.06
"""The room above the highest value, as a share of the axis."""


PEOPLE = ("call_delay_s", "call_loss_share", "call_freezes", "page_median_s", "finished_share")
"""The metrics of people with charts of their own, before any other chart."""


def library() -> str:
    """BokehJS, written into the page so that it needs no network; Bokeh itself is not imported."""
    found = importlib.util.find_spec("bokeh")
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError("bokeh, whose library draws the charts of reports, is not installed")
    scripts = Path(found.submodule_search_locations[0]) / "server" / "static" / "js"
    names = ("bokeh.min.js", "bokeh-api.min.js")
    return "\n".join((scripts / name).read_text(encoding="utf-8") for name in names)


def charts(comparison: ComparisonRecord) -> tuple[ChartGroup, ...]:
    """All charts of a comparison or run."""
    groups: list[ChartGroup] = []
    if comparison.is_comparison and _is_there(comparison, GOODPUT):
        several = len(comparison.seeds) > 1 and not comparison.seeds_alike
        whiskers = "Means over the seeds; whiskers are 95 % confidence intervals." if several else ""
        if people := [key for key in PEOPLE if _is_above_zero(comparison, key)]:
            meanings = (f"{each.title}: {each.meaning}." for each in map(metrics.metric, people))
            text = " ".join([*meanings, whiskers]).strip()
            made = tuple(metric_chart(comparison, key) for key in people)
            groups.append(ChartGroup("people", "What people notice", text, made))
        text = f"{whiskers} The queueing delay is the mean at the bottleneck.".strip()
        pair = (metric_chart(comparison, GOODPUT), _against_delay(comparison))
        groups.append(ChartGroup("goodput", "Goodput and delay", text, pair))
    groups += spread(comparison)
    points = max(200, min(2000, 60_000 // (6 * max(1, len(comparison.labels)))))
    end_s = shown_until_s([comparison.result(label) for label in comparison.labels])
    for drawn in time_figures(comparison, points):
        text = f"{drawn.quantity.explanation} {drawn.note}".strip()
        made = tuple(_over_time(drawn, panel, end_s) for panel in drawn.panels)
        groups.append(ChartGroup(drawn.quantity.key, drawn.quantity.title, text, made))
    if times := transfer_figure(comparison):
        made = tuple(_distribution(panel) for panel in times.panels)
        groups.append(ChartGroup("transfers", "Flow completion times", times.note, made))
    if stalls := user_figure(comparison):
        made = tuple(_distribution(panel) for panel in stalls.panels)
        groups.append(ChartGroup("users", "Users", stalls.note, made))
    if pages := waterfall.waterfalls(comparison):
        groups.append(ChartGroup("waterfall", "Waterfall", waterfall.NOTE, waterfall.charts(pages)))
    return tuple(groups)


def _is_there(comparison: ComparisonRecord, key: str) -> bool:
    return not comparison.summary.filter(pl.col("metric") == key).is_empty()


def _is_above_zero(comparison: ComparisonRecord, key: str) -> bool:
    """True if any mean is; a chart of zeros has an axis of its own making."""
    return not comparison.summary.filter((pl.col("metric") == key) & (pl.col("mean") > 0)).is_empty()


def _over_time(drawn: TimeFigure, panel: Panel, end_s: float) -> Chart:
    quantity = drawn.quantity
    single = len(drawn.panels) == 1
    curves = [
        {
            "label": curve.label,
            "x": packed(curve.time),
            "y": packed(curve.value),
            "colour": curve.look.colour,
            "width": 3 if curve.is_strokes else 1.1 if curve.is_auxiliary else 1.6,
            "cap": "round" if curve.is_strokes else "butt",
            "dash": [5, 3] if curve.is_auxiliary else [],
            "alpha": 0.75 if curve.is_auxiliary else 1.0,
            "step": curve.is_step,
        }
        for curve in panel.curves
    ]
    low, high = _extremes(drawn.panels, from_zero=quantity.from_zero)
    of = f" of {panel.title}" if panel.title and not single else ""
    return {
        "title": "" if single else panel.title,
        "title_colour": panel.curves[0].look.colour if panel.curves else GREY,
        "height": 300 if single else 190,
        "x": {
            "label": "time [s]",
            "range": list(drawn.span_s or (0, end_s)),
            # A figure of a part of the run has a time axis of its own.
            "shared": None if drawn.span_s else "time",
            "name": "time",
            "unit": "s",
        },
        "y": {
            "label": f"{quantity.axis} [{quantity.unit}]",
            "range": [low, high],
            "shared": quantity.key,
            "name": quantity.axis,
            "unit": quantity.unit,
        },
        "curves": curves,
        "marks": {
            "x": packed(panel.marks),
            "y": high - 0.02 * (high - low),
            "name": panel.marked,
        }
        if panel.marks.size
        else None,
        "legend": single and len(curves) > 1,
        "alternative": f"{quantity.title}{of} over time, in {quantity.unit}: {_described(panel)}.",
    }


def _extremes(panels: Sequence[Panel], *, from_zero: bool) -> tuple[float, float]:
    """The ends of the common axis of all panels."""
    values = [curve.value[np.isfinite(curve.value)] for panel in panels for curve in panel.curves]
    known = np.concatenate(values) if values else np.empty(0)
    if not known.size:
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    if from_zero:
        low = min(0.0, low)
    if low == high == 0:
        return 0.0, 1.0
    room = ROOM * (high - low or abs(high))
    return (low if from_zero else low - room), high + room * (2 if any(p.marks.size for p in panels) else 1)


def _described(panel: Panel) -> str:
    """The span of each curve, in words."""
    spans = []
    for curve in panel.curves:
        known = curve.value[np.isfinite(curve.value)]
        span = f"{known.min():.4g} to {known.max():.4g}" if known.size else "no value"
        spans.append(f"{curve.label} {span}" if curve.label else span)
    return "; ".join(spans)


def _distribution(panel: TimePanel) -> Chart:
    curves = [
        {
            "label": curve.label,
            "x": packed(curve.time_s),
            "y": packed(curve.share),
            "colour": curve.look.colour,
            "width": 1.6,
            "cap": "butt",
            "dash": [3 * length for length in curve.look.dash] if len(panel.curves) > 1 else [],
            "alpha": 1.0,
            "step": True,
        }
        for curve in panel.curves
    ]
    name = panel.axis.removesuffix(" [s]")
    medians = (f"{curve.label} {_median(curve.time_s, curve.share)}" for curve in panel.curves)
    return {
        "title": panel.title,
        "title_colour": None,
        "height": 320,
        "x": {"label": panel.axis, "log": True, "name": name, "unit": "s"},
        "y": {"label": panel.share, "range": [0, 1.02], "name": "share", "unit": ""},
        "curves": curves,
        "legend": len(curves) > 1,
        "alternative": f"{panel.share} within a {name}, {panel.title}; medians: {'; '.join(medians)}.",
    }


def _median(time_s: np.ndarray, share: np.ndarray) -> str:
    place = int(np.searchsorted(share, 0.5))
    return f"{time_s[place]:.3g} s" if place < time_s.size else "not reached"


def _against_delay(comparison: ComparisonRecord) -> Chart:
    points = delay_points(comparison)
    chosen = style.looks(comparison.labels)
    metric = metrics.metric(GOODPUT)
    factor, unit = metrics.shown(metric, max(abs(point["y"]) for point in points.values()))
    dots = []
    for label, point in points.items():
        x, y, dx, dy = point["x"] * 1e3, point["y"] * factor, point["dx"] * 1e3, point["dy"] * factor
        certain = math.isfinite(dx) and math.isfinite(dy)
        dots.append(
            {
                "label": label,
                "x": x,
                "y": y,
                "colour": chosen[label].colour,
                "seeds": [],
                "low": y - dy if certain else None,
                "high": y + dy if certain else None,
                "left": x - dx if certain else None,
                "right": x + dx if certain else None,
            }
        )
    return {
        "title": "",
        "height": 300,
        "x": {
            "label": "queueing delay [ms]",
            "range": style.limits(*ends(points, "x", "dx", 1e3)),
            "name": "queueing delay",
            "unit": "ms",
        },
        "y": {
            "label": f"goodput [{unit}]",
            "range": style.limits(*ends(points, "y", "dy", factor)),
            "name": "goodput",
            "unit": unit,
        },
        "dots": dots,
        "legend": True,
        "alternative": f"Goodput in {unit} over queueing delay in ms: "
        + "; ".join(f"{dot['label']} {dot['y']:.4g} at {dot['x']:.3g}" for dot in dots)
        + ".",
    }
