"""Figures for print: SVG and PNG by matplotlib, with their provenance in the metadata."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from ackclock.errors import InputError, unknown
from ackclock.measures import metric_names, metrics
from ackclock.provenance import command_line, scenario_hash, version
from ackclock.report import dots, style, waterfall
from ackclock.report.canvas import new_figure
from ackclock.report.curves import Panel, TimeFigure
from ackclock.report.delays import delay_points, ends
from ackclock.report.figure_data import figure_data, written
from ackclock.report.forgiving import DrawingError, forgiving
from ackclock.report.images import ImageProcess, render
from ackclock.report.share_bars import share_bars
from ackclock.report.span import shown_until_s
from ackclock.report.text import for_figures, printable
from ackclock.report.time_figures import time_figures
from ackclock.report.transfer_figures import FEWEST, TransferFigure, transfer_figure, user_figure

if TYPE_CHECKING:
    from ackclock.report.record import ComparisonRecord
    from ackclock.results_folder import ResultsFolder

__all__ = [
    "FigureProcess",
    "describe",
    "draw",
    "draw_all",
    "goodput_against_delay",
    "image",
    "new_figure",
    "over_time",
    "transfer_times",
]


def describe(comparison: ComparisonRecord) -> dict[str, str]:
    """The metadata of the figures of a comparison."""
    scenario = comparison.scenario
    seeds = ", ".join(str(seed) for seed in comparison.seeds)
    return {
        "Title": f"{scenario.name}: {', '.join(comparison.labels)}",
        "Description": (
            f"scenario {scenario.name} (sha256 {scenario_hash(scenario)}); algorithms "
            f"{', '.join(comparison.labels)}; seeds {seeds}; ackclock {version()}; command: {command_line()}"
        ),
    }


def image(figure: Figure, kind: str, about: Mapping[str, str]) -> bytes:
    """The figure as the bytes of a file ("svg", "png" or "pdf") with `about` as its metadata.

    The kind "json" is the figure's data (`ackclock.report.figure_data`), from which it can be drawn again.
    """
    if kind == "json":
        return written(figure_data(image(figure, "svg", about).decode())).encode()
    return render(figure, kind, _metadata(kind, about))


def _metadata(kind: str, about: Mapping[str, str]) -> dict[str, str | None]:
    maker = f"ackclock {version()}"
    cleaned = {key: printable(text) for key, text in about.items()}
    if kind == "png":
        return {**cleaned, "Software": maker}
    if kind == "pdf":
        subject = cleaned.pop("Description", "")
        return {**cleaned, "Subject": subject, "Creator": maker, "CreationDate": None}
    return {**cleaned, "Creator": maker, "Date": None}


class FigureProcess:
    """All figures of a comparison.

    A separate process renders them in each format between construction and `write`.
    """

    def __init__(
        self, comparison: ComparisonRecord, formats: Sequence[str], width: float | str | None = None
    ) -> None:
        about = describe(comparison)
        metadata = {kind: _metadata(kind, about) for kind in formats}
        self._process = ImageProcess(draw_all(comparison, width), metadata)

    def write(self, folder: ResultsFolder) -> None:
        """Writes figures/<name>.<format> for each figure once its images are there."""
        for (name, kind), data in self._process.images().items():
            with forgiving(f"figure {name}"):
                if isinstance(data, str):
                    raise DrawingError(data)
                folder.write_bytes(f"figures/{name}.{kind}", data)


def draw_all(comparison: ComparisonRecord, width: float | str | None = None) -> dict[str, Figure]:
    """All figures of a comparison or run, by name, of a width in inches or by name ("ieee-column")."""
    drawn = {}
    end_s = shown_until_s([comparison.result(label) for label in comparison.labels])
    with mpl.rc_context(style.MATPLOTLIB):
        for figure in time_figures(comparison):
            drawn[figure.quantity.key] = over_time(figure, end_s, width)
        if (comparison.is_comparison or len(comparison.seeds) > 1) and _has(comparison, "goodput_bit_per_s"):
            drawn["goodput"] = dots.metric_dots(comparison, "goodput_bit_per_s", width)
            drawn["goodput-against-delay"] = goodput_against_delay(comparison, width)
        if shares := dots.flow_shares(comparison, width):
            drawn["shares"] = shares
        if comparison.shared_run is not None:
            drawn["competition"] = share_bars(comparison, width)
        if times := transfer_figure(comparison):
            drawn["transfer-times"] = transfer_times(times, width)
        if stalls := user_figure(comparison):
            drawn["users"] = transfer_times(stalls, width)
        if pages := waterfall.waterfalls(comparison):
            drawn["waterfall"] = waterfall.draw(pages, width)
    return drawn


def draw(comparison: ComparisonRecord, what: str | None = None, width: float | str | None = None) -> Figure:
    """One figure of a comparison or run: of `draw_all` by its name, or a metric's dots with intervals.

    By default it is that of the goodput, or of the windows for a single run with time series. Raises
    InputError for another name.
    """
    style.width_inches(width)
    is_single = not comparison.is_comparison and len(comparison.seeds) == 1
    if what is None and is_single and "flow_series" in comparison.results[0].tables:
        what = "window"
    by_key = {figure.quantity.key: figure for figure in time_figures(comparison)}
    with mpl.rc_context(style.MATPLOTLIB):
        if what in by_key:
            end_s = shown_until_s([comparison.result(label) for label in comparison.labels])
            return over_time(by_key[what], end_s, width)
        try:
            metric = metric_names.named(what or "goodput")
        except InputError:
            drawn = draw_all(comparison, width)
            if what in drawn:
                return drawn[what]
            known = dict.fromkeys([*drawn, *by_key, *_metrics_of(comparison)])
            if needs := FIGURES.get(str(what)):
                there = ", ".join(sorted(known))
                raise InputError(f"{what}: this figure needs {needs}; there are {there}") from None
            raise unknown("figure", str(what), known) from None
        if not _has(comparison, metric.key):
            there = ", ".join(_metrics_of(comparison))
            name = metric_names.short(metric.key)
            raise InputError(f"{name}: no run of {comparison.scenario.name} has it; there are {there}")
        return dots.metric_dots(comparison, metric.key, width)


SERIES = "runs with time series (series=True)"

FIGURES = {
    **dict.fromkeys(("window", "goodput-over-time", "rtt", "in_flight", "queue", "drops"), SERIES),
    "goodput-against-delay": "several algorithms, or several seeds",
    "shares": "flows that want the same at the same time",
    "competition": "runs that all algorithms share (together=True)",
    "transfer-times": f"{FEWEST} files or more that flows send",
    "users": f"{FEWEST} users or more",
    "waterfall": "a single run with users that load pages",
    "time-sequence": "a run whose packets are captured (trace.packets), with time series",
}
"""Figures that not all runs have, with what they need."""


def _metrics_of(comparison: ComparisonRecord) -> list[str]:
    return [metric_names.short(key) for key in metrics.KEYS if _has(comparison, key)]


def _has(comparison: ComparisonRecord, key: str) -> bool:
    return comparison.summary.filter(pl.col("metric") == key).height > 0


def over_time(figure: TimeFigure, end_s: float, width: float | str | None) -> Figure:
    """A figure of curves over time, in one panel or several."""
    panels = figure.panels
    height = 2.6 if len(panels) == 1 else 0.5 + 1.15 * len(panels)
    drawn, axes = new_figure(len(panels), height=height, width=width, sharex=True, sharey=True)
    quantity = figure.quantity
    for axis, panel in zip(axes, panels, strict=True):
        _panel(axis, panel, len(panels) == 1, width)
        if panel.title and len(panels) > 1:
            axis.set_title(for_figures(panel.title), color=panel.curves[0].look.colour)
    # The panels share their axes: a limit set before the last is drawn would cut off what is above it.
    axes[0].set_xlim(*(figure.span_s or (0, end_s)))
    if quantity.from_zero:
        axes[0].set_ylim(bottom=0)
    label = f"{quantity.axis} [{quantity.unit}]"
    if len(panels) == 1:
        axes[0].set_ylabel(label)
    else:
        drawn.supylabel(label, fontsize=9)
    axes[-1].set_xlabel("time [s]")
    return drawn


def _panel(axis: Axes, panel: Panel, with_legend: bool, width: float | str | None) -> None:
    for curve in panel.curves:
        auxiliary = curve.is_auxiliary
        axis.plot(
            curve.time,
            curve.value,
            color=curve.look.colour,
            linewidth=2 if curve.is_strokes else 0.8 if auxiliary else 1.1,
            linestyle=(0, (4, 2)) if auxiliary else "-",
            alpha=0.7 if auxiliary else 1,
            drawstyle="steps-post" if curve.is_step else "default",
            marker=curve.look.marker if with_legend and not auxiliary else None,
            markevery=max(1, curve.time.size // 12),
            markersize=3.5,
            label=for_figures(curve.label),
        )
    if panel.marks.size:
        top = max((float(np.nanmax(curve.value)) for curve in panel.curves if curve.value.size), default=1)
        axis.plot(
            panel.marks,
            [top * 1.08] * panel.marks.size,
            "|",
            color="#444444",
            markersize=3.5,
            markeredgewidth=0.5,
        )
    if with_legend and (len(panel.curves) > 1 or panel.curves[0].label):
        columns = style.legend_columns(width, [curve.label for curve in panel.curves])
        axis.legend(
            ncols=min(columns, len(panel.curves)), loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2
        )


def goodput_against_delay(comparison: ComparisonRecord, width: float | str | None = None) -> Figure:
    """Mean goodput over mean queueing delay at the bottleneck, with 95 % intervals; best at upper left."""
    chosen = style.looks(comparison.labels)
    points = delay_points(comparison)
    goodput = metrics.metric("goodput_bit_per_s")
    factor, unit = metrics.shown(goodput, max((abs(point["y"]) for point in points.values()), default=0))
    figure, (axis,) = new_figure(height=2.8, width=width)
    for label, point in points.items():
        several = math.isfinite(point["dx"]) and math.isfinite(point["dy"])
        axis.errorbar(
            point["x"] * 1e3,
            point["y"] * factor,
            xerr=point["dx"] * 1e3 if several else None,
            yerr=point["dy"] * factor if several else None,
            fmt=chosen[label].marker,
            color=chosen[label].colour,
            markersize=7,
            capsize=2,
            linewidth=0.9,
            label=for_figures(label),
        )
    for scale, set_limits, value, half in (
        (1e3, axis.set_xlim, "x", "dx"),
        (factor, axis.set_ylim, "y", "dy"),
    ):
        set_limits(*style.limits(*ends(points, value, half, scale)))
    figure.legend(loc="outside upper left", ncols=style.legend_columns(width, list(points)))
    axis.set_xlabel("mean queueing delay [ms]")
    axis.set_ylabel(f"goodput [{unit}]")
    return figure


def transfer_times(drawn: TransferFigure, width: float | str | None = None) -> Figure:
    """Distributions of times of transfers or users: a panel for each, a line per label."""
    figure, axes = new_figure(1, len(drawn.panels), height=2.8, width=width, sharey=True)
    for axis, panel in zip(axes, drawn.panels, strict=True):
        for curve in panel.curves:
            axis.plot(
                curve.time_s,
                curve.share,
                color=curve.look.colour,
                linestyle=(0, curve.look.dash) if curve.look.dash and len(panel.curves) > 1 else "-",
                drawstyle="steps-post",
                label=for_figures(curve.label),
            )
        axis.set_xscale("log")
        axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.xaxis.set_minor_locator(NullLocator())
        axis.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.set_ylim(0, 1.02)
        axis.set_title(for_figures(panel.title))
        axis.set_xlabel(panel.axis)
        if axis is axes[0] or panel.share != drawn.panels[0].share:
            axis.set_ylabel(panel.share)
    handles, labels = axes[0].get_legend_handles_labels()
    if len(labels) > 1:
        figure.legend(handles, labels, loc="outside upper left", ncols=style.legend_columns(width, labels))
    return figure
