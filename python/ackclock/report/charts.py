"""Interactive charts for the report, by Bokeh.

Zoom and pan are linked in time; values appear on hover; a click on the legend hides a curve.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from bokeh.document import Document
from bokeh.embed import components
from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, PrintfTickFormatter, Range1d
from bokeh.models.annotations import Label, Legend, LegendItem, Span, Whisker
from bokeh.plotting import figure as new_chart
from bokeh.resources import Resources

from ackclock.measures import metrics
from ackclock.report import figures, style
from ackclock.report.curves import Panel, TimeFigure
from ackclock.report.dots import capacity_bit_per_s
from ackclock.report.time_figures import time_figures
from ackclock.report.transfer_figures import TimePanel, transfer_figure, user_figure

if TYPE_CHECKING:
    from ackclock.report.record import ComparisonRecord

__all__ = ["ChartGroup", "Charts", "charts", "library"]

Chart = Any
"""A Bokeh figure; its properties are too dynamic for a type checker."""

TOOLS = "xpan,xwheel_zoom,box_zoom,reset,save"


@dataclass(frozen=True)
class ChartGroup:
    """Charts of one quantity as HTML fragments, with their title and explanation."""

    key: str
    title: str
    text: str
    fragments: tuple[str, ...]

    @property
    def is_wide(self) -> bool:
        """True if each chart takes the whole width: a single chart, and the sawtooth of the windows."""
        return len(self.fragments) == 1 or self.key == "window"


@dataclass(frozen=True)
class Charts:
    """All charts of a page: the groups, and the script that draws them."""

    groups: tuple[ChartGroup, ...]
    script: str


def library() -> str:
    """Bokeh's own code, written into the page so that it needs no network."""
    return str(Resources(mode="inline", components=["bokeh"], minified=True).render_js())


def charts(comparison: ComparisonRecord) -> Charts:
    """All charts of a comparison or run."""
    groups: list[tuple[str, str, str, list[Chart]]] = []
    if (
        comparison.is_comparison
        and not comparison.summary.filter(pl.col("metric") == "goodput_bit_per_s").is_empty()
    ):
        several = len(comparison.seeds) > 1 and not comparison.seeds_alike
        mean = "The queueing delay is the mean at the bottleneck."
        bars = f"Means over the seeds; whiskers are 95 % confidence intervals. {mean}" if several else mean
        groups.append(("goodput", "Goodput and delay", bars, [_dots(comparison), _against_delay(comparison)]))
    shared = Range1d(start=0, end=comparison.scenario.duration_s, bounds="auto")
    points = max(200, min(2000, 60_000 // (6 * max(1, len(comparison.labels)))))
    for drawn in time_figures(comparison, points):
        text = f"{drawn.quantity.explanation} {drawn.note}".strip()
        made = [_over_time(drawn, panel, shared) for panel in drawn.panels]
        _share_heights(made)
        groups.append((drawn.quantity.key, drawn.quantity.title, text, made))
    if times := transfer_figure(comparison):
        made = [_transfer_times(panel) for panel in times.panels]
        groups.append(("transfers", "Transfer times", times.note, made))
    if hangs := user_figure(comparison):
        made = [_transfer_times(panel) for panel in hangs.panels]
        groups.append(("users", "Users", hangs.note, made))
    flat = tuple(chart for group in groups for chart in group[3])
    if not flat:
        return Charts((), "")
    document = Document()
    with document.models.freeze():  # the models of all charts are collected once, not once per chart
        for chart in flat:
            document.add_root(chart)
    script, divisions = components(flat)
    remaining = iter(divisions)
    finished = tuple(
        ChartGroup(key, title, text, tuple(next(remaining) for _ in made))
        for key, title, text, made in groups
    )
    return Charts(finished, script)


def _empty(title: str, x_label: str, y_label: str, height: int, **options: Any) -> Chart:
    chart: Chart = new_chart(
        title=title or None,
        height=height,
        sizing_mode="stretch_width",
        tools=TOOLS,
        active_drag="box_zoom",
        toolbar_location="above",
        x_axis_label=x_label,
        y_axis_label=y_label,
        background_fill_alpha=0,
        border_fill_alpha=0,
        outline_line_alpha=0,
        output_backend="canvas",
        **options,
    )
    chart.toolbar.logo = None
    chart.toolbar.autohide = True
    chart.toolbar_inner = True
    chart.xgrid.grid_line_alpha = 0.35
    chart.ygrid.grid_line_alpha = 0.35
    for axis in (*chart.xaxis, *chart.yaxis):
        axis.axis_label_text_font_style = "normal"
        axis.minor_tick_line_alpha = 0
    return chart


def _over_time(drawn: TimeFigure, panel: Panel, shared: Range1d) -> Chart:
    quantity = drawn.quantity
    single = len(drawn.panels) == 1
    chart = _empty(
        "" if single else panel.title,
        "time [s]",
        f"{quantity.axis} [{quantity.unit}]",
        300 if single else 190,
        x_range=shared,
    )
    if panel.title and not single:
        chart.title.text_color = panel.curves[0].look.colour
    items = []
    for curve in panel.curves:
        source = ColumnDataSource(
            {"time": curve.time.astype(np.float32), "value": curve.value.astype(np.float32)}
        )
        look = {
            "line_color": curve.look.colour,
            "line_width": 1.1 if curve.is_auxiliary else 1.6,
            "line_dash": [5, 3] if curve.is_auxiliary else "solid",
            "line_alpha": 0.75 if curve.is_auxiliary else 1.0,
        }
        line = chart.step if curve.is_step else chart.line
        mode = {"mode": "after"} if curve.is_step else {}
        renderer = line("time", "value", source=source, **look, **mode)
        items.append(LegendItem(label=curve.label, renderers=[renderer]))
        tips = [(curve.label, f"@value{{0.[00]}} {quantity.unit}"), ("time", "@time{0.[000]} s")]
        chart.add_tools(HoverTool(renderers=[renderer], tooltips=tips, mode="mouse", visible=False))
    _mark_drops(chart, panel)
    if quantity.from_zero:
        chart.y_range.start = 0
    if single and len(items) > 1:
        legend = Legend(
            items=items,
            orientation="horizontal",
            click_policy="hide",
            background_fill_alpha=0,
            border_line_alpha=0,
        )
        chart.add_layout(legend, "above")
    return chart


def _mark_drops(chart: Chart, panel: Panel) -> None:
    if not panel.marks.size:
        return
    top = max((float(np.nanmax(curve.value)) for curve in panel.curves if curve.value.size), default=1.0)
    source = ColumnDataSource(
        {
            "time": panel.marks.astype(np.float32),
            "at": np.full(panel.marks.size, top * 1.07, dtype=np.float32),
        }
    )
    ticks = chart.scatter(
        "time", "at", source=source, marker="dash", angle=math.pi / 2, size=7, color="#888888"
    )
    chart.add_tools(HoverTool(renderers=[ticks], tooltips=[("drop at", "@time{0.000} s")], visible=False))


def _share_heights(made: list[Chart]) -> None:
    for chart in made[1:]:
        chart.y_range = made[0].y_range


def _transfer_times(panel: TimePanel) -> Chart:
    chart = _empty(panel.title, panel.axis, panel.share, 320, x_axis_type="log")
    items = []
    for curve in panel.curves:
        source = ColumnDataSource(
            {"time": curve.time_s.astype(np.float32), "share": curve.share.astype(np.float32)}
        )
        dash = [3 * length for length in curve.look.dash] if len(panel.curves) > 1 else []
        line = chart.step(
            "time",
            "share",
            source=source,
            mode="after",
            line_color=curve.look.colour,
            line_width=1.6,
            line_dash=dash or "solid",
        )
        items.append(LegendItem(label=curve.label, renderers=[line]))
        tips = [
            ("", curve.label),
            (panel.axis.removesuffix(" [s]"), "@time{0.[000]} s"),
            ("share", "@share{0.[000]}"),
        ]
        chart.add_tools(HoverTool(renderers=[line], tooltips=tips, mode="mouse", visible=False))
    chart.y_range = Range1d(start=0, end=1.02)
    chart.xaxis.formatter = PrintfTickFormatter(format="%g")
    chart.xaxis.ticker = FixedTicker(
        ticks=[digit * 10.0**decade for decade in range(-4, 6) for digit in (1, 2, 5)]
    )
    if len(items) > 1:
        legend = Legend(
            items=items,
            orientation="horizontal",
            click_policy="hide",
            background_fill_alpha=0,
            border_line_alpha=0,
        )
        chart.add_layout(legend, "above")
    return chart


def _dots(comparison: ComparisonRecord) -> Chart:
    metric = metrics.metric("goodput_bit_per_s")
    rows = comparison.summary.filter(pl.col("metric") == metric.key)
    means = rows["mean"].to_list()
    factor, unit = metrics.shown(metric, max(abs(value) for value in means))
    labels = rows["label"].to_list()
    chosen = style.looks(comparison.labels)
    chart = _empty("", "", f"goodput [{unit}]", 300, x_range=labels)
    data = {
        "label": labels,
        "mean": [value * factor for value in means],
        "low": [value * factor for value in rows["low"].to_list()],
        "high": [value * factor for value in rows["high"].to_list()],
        "colour": [chosen[label].colour for label in labels],
    }
    source = ColumnDataSource(data)
    dots = chart.scatter("label", "mean", size=11, color="colour", source=source)
    tips = [("goodput", f"@mean{{0.0}} {unit}")]
    if all(math.isfinite(value) for value in data["low"]) and not comparison.seeds_alike:
        whisker: Any = Whisker(base="label", upper="high", lower="low", source=source, line_color="#888888")
        for head in (whisker.upper_head, whisker.lower_head):
            head.line_color = "#888888"
        chart.add_layout(whisker)
        tips.append(("95 % interval", f"@low{{0.0}} to @high{{0.0}} {unit}"))
    chart.add_tools(HoverTool(renderers=[dots], tooltips=[("", "@label"), *tips], visible=False))
    halves = [(high - low) / 2 for low, high in zip(data["low"], data["high"], strict=True)]
    known = [half for half in halves if math.isfinite(half)]
    limit = capacity_bit_per_s(comparison, payload=True) * factor
    seen = [*data["mean"], limit] if math.isfinite(limit) else data["mean"]
    chart.y_range.start, chart.y_range.end = style.limits(seen, known)
    if math.isfinite(limit):
        chart.add_layout(Span(location=limit, dimension="width", line_color="#888888", line_dash=[5, 3]))
        chart.add_layout(
            Label(
                x=4, y=limit, x_units="screen", text="capacity", text_color="#888888", text_font_size="11px"
            )
        )
    chart.xgrid.visible = False
    return chart


def _against_delay(comparison: ComparisonRecord) -> Chart:
    points = figures.delay_points(comparison)
    chosen = style.looks(comparison.labels)
    metric = metrics.metric("goodput_bit_per_s")
    factor, unit = metrics.shown(metric, max(abs(point["y"]) for point in points.values()))
    chart = _empty("", "queueing delay [ms]", f"goodput [{unit}]", 300)
    items = []
    for label, point in points.items():
        x, y, dx, dy = point["x"] * 1e3, point["y"] * factor, point["dx"] * 1e3, point["dy"] * factor
        colour = chosen[label].colour
        made = []
        if math.isfinite(dx) and math.isfinite(dy):
            made.append(
                chart.segment(
                    x0=[x - dx, x], x1=[x + dx, x], y0=[y, y - dy], y1=[y, y + dy], line_color=colour
                )
            )
        dots = chart.scatter(x=[x], y=[y], size=12, color=colour, alpha=0.9)
        tips = [("", label), ("goodput", f"@y{{0.0}} {unit}"), ("queueing delay", "@x{0.00} ms")]
        chart.add_tools(HoverTool(renderers=[dots], tooltips=tips, visible=False))
        items.append(LegendItem(label=label, renderers=[*made, dots]))
    for of, scale, value, half in ((chart.x_range, 1e3, "x", "dx"), (chart.y_range, factor, "y", "dy")):
        of.start, of.end = style.limits(*figures.ends(points, value, half, scale))
    legend = Legend(
        items=items,
        click_policy="hide",
        background_fill_alpha=0,
        border_line_alpha=0,
        orientation="horizontal",
    )
    chart.add_layout(legend, "above")
    return chart
