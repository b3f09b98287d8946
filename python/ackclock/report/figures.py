"""Figures for print: SVG and PNG by matplotlib, with their provenance in the metadata."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from ackclock.measures import metrics
from ackclock.provenance import command_line, scenario_hash, version
from ackclock.report import style
from ackclock.report.curves import Panel, TimeFigure
from ackclock.report.forgiving import DrawingError, forgiving
from ackclock.report.images import ImageProcess, render
from ackclock.report.text import for_figures, printable
from ackclock.report.time_figures import time_figures
from ackclock.report.transfer_figures import TransferFigure, transfer_figure, user_figure

if TYPE_CHECKING:
    from ackclock.report.record import ComparisonRecord
    from ackclock.results_folder import ResultsFolder

__all__ = [
    "describe",
    "draw_all",
    "goodput_against_delay",
    "goodput_bars",
    "image",
    "new_figure",
    "start_rendering",
    "transfer_times",
    "write_all",
]

WIDTH_INCHES = 6.3
"""The text width of A4 with usual margins: 160 mm."""


def new_figure(
    rows: int = 1, columns: int = 1, height: float = 2.6, **options: Any
) -> tuple[Figure, list[Axes]]:
    """An empty figure of the text width in the common style, and its axes row by row; `height` in inches."""
    with mpl.rc_context(style.MATPLOTLIB):
        figure = Figure(figsize=(WIDTH_INCHES, height), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False, **options)
    return figure, list(axes.flat)


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
    """The figure as the bytes of a file ("svg", "png" or "pdf") with `about` as its metadata."""
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


def start_rendering(comparison: ComparisonRecord, formats: Sequence[str]) -> ImageProcess:
    """Draws all figures of a comparison and begins to render them in each format, in a process of its own."""
    about = describe(comparison)
    metadata = {kind: _metadata(kind, about) for kind in formats}
    return ImageProcess(draw_all(comparison), metadata)


def write_all(process: ImageProcess, folder: ResultsFolder) -> None:
    """Writes figures/<name>.<format> for each figure once its images are there."""
    for (name, kind), data in process.images().items():
        with forgiving(f"figure {name}"):
            if isinstance(data, str):
                raise DrawingError(data)
            folder.write_bytes(f"figures/{name}.{kind}", data)


def draw_all(comparison: ComparisonRecord) -> dict[str, Figure]:
    """All figures of a comparison or run, by name."""
    drawn = {}
    with mpl.rc_context(style.MATPLOTLIB):
        for figure in time_figures(comparison):
            drawn[figure.quantity.key] = _over_time(figure, comparison.scenario.duration_s)
        if comparison.is_comparison and _has(comparison, "goodput_bit_per_s"):
            drawn["goodput"] = goodput_bars(comparison)
            drawn["goodput-against-delay"] = goodput_against_delay(comparison)
        if times := transfer_figure(comparison):
            drawn["transfer-times"] = transfer_times(times)
        if hangs := user_figure(comparison):
            drawn["users"] = transfer_times(hangs)
    return drawn


def _has(comparison: ComparisonRecord, key: str) -> bool:
    return comparison.summary.filter(pl.col("metric") == key).height > 0


def _over_time(figure: TimeFigure, duration_s: float) -> Figure:
    panels = figure.panels
    drawn, axes = new_figure(
        len(panels), height=2.6 if len(panels) == 1 else 0.5 + 1.15 * len(panels), sharex=True, sharey=True
    )
    quantity = figure.quantity
    for axis, panel in zip(axes, panels, strict=True):
        _panel(axis, panel, len(panels) == 1)
        if panel.title and len(panels) > 1:
            axis.set_title(for_figures(panel.title), color=panel.curves[0].look.colour)
    # The panels share their axes: a limit set before the last is drawn would cut off what is above it.
    axes[0].set_xlim(0, duration_s)
    if quantity.from_zero:
        axes[0].set_ylim(bottom=0)
    label = f"{quantity.axis} [{quantity.unit}]"
    if len(panels) == 1:
        axes[0].set_ylabel(label)
    else:
        drawn.supylabel(label, fontsize=9)
    axes[-1].set_xlabel("time [s]")
    return drawn


def _panel(axis: Axes, panel: Panel, with_legend: bool) -> None:
    for curve in panel.curves:
        auxiliary = curve.is_auxiliary
        axis.plot(
            curve.time,
            curve.value,
            color=curve.look.colour,
            linewidth=0.8 if auxiliary else 1.1,
            linestyle=(0, (4, 2)) if auxiliary else "-",
            alpha=0.7 if auxiliary else 1,
            drawstyle="steps-post" if curve.is_step else "default",
            marker=curve.look.marker if with_legend and not auxiliary else None,
            markevery=max(1, curve.time.size // 12),
            markersize=3.5,
            label=for_figures(curve.label),
        )
    if panel.marks.size:
        top = max((float(curve.value.max()) for curve in panel.curves if curve.value.size), default=1)
        axis.plot(
            panel.marks,
            [top * 1.08] * panel.marks.size,
            "|",
            color="#444444",
            markersize=3.5,
            markeredgewidth=0.5,
        )
    if with_legend and (len(panel.curves) > 1 or panel.curves[0].label):
        axis.legend(
            ncols=min(5, len(panel.curves)), loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2
        )


def goodput_bars(comparison: ComparisonRecord, key: str = "goodput_bit_per_s") -> Figure:
    """A bar per label for one metric, with 95 % intervals if there are several seeds."""
    metric = metrics.metric(key)
    rows = comparison.summary.filter(pl.col("metric") == key)
    factor, unit = metrics.shown(metric, rows["mean"].abs().max() or 0)  # type: ignore[arg-type]
    chosen = style.looks(comparison.labels)
    figure, (axis,) = new_figure(height=2.4)
    for position, row in enumerate(rows.iter_rows(named=True)):
        mean, half = row["mean"] * factor, (row["high"] - row["low"]) / 2 * factor
        axis.bar(position, mean, width=0.62, color=chosen[row["label"]].colour)
        has_interval = math.isfinite(half) and not comparison.seeds_alike
        if has_interval:
            axis.errorbar(position, mean, yerr=half, color="#222222", capsize=3, linewidth=1)
        axis.annotate(
            f"{mean:.{metrics.digits(metric, float(rows['mean'].abs().max() or 0))}f}",  # type: ignore[arg-type]
            (position, mean + (half if has_interval else 0)),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=8,
        )
    axis.set_xticks(range(rows.height), [for_figures(label) for label in rows["label"]])
    axis.grid(visible=False, axis="x")
    axis.margins(y=0.12)
    axis.set_ylabel(f"{metric.title.lower()} [{unit}]")
    return figure


def goodput_against_delay(comparison: ComparisonRecord) -> Figure:
    """Mean goodput over mean queueing delay at the bottleneck, with 95 % intervals; best at upper left."""
    chosen = style.looks(comparison.labels)
    points = delay_points(comparison)
    goodput = metrics.metric("goodput_bit_per_s")
    factor, unit = metrics.shown(goodput, max((abs(point["y"]) for point in points.values()), default=0))
    figure, (axis,) = new_figure(height=2.8)
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
    axis.margins(0.1)
    axis.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    axis.set_xlabel("mean queueing delay at the bottleneck [ms]")
    axis.set_ylabel(f"goodput [{unit}]")
    return figure


def transfer_times(drawn: TransferFigure) -> Figure:
    """Distributions of times of transfers or users: a panel for each, a line per label."""
    figure, axes = new_figure(1, len(drawn.panels), height=2.8, sharey=True)
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
        figure.legend(handles, labels, loc="outside upper left", ncols=6)
    return figure


def delay_points(comparison: ComparisonRecord) -> dict[str, dict[str, float]]:
    """Queueing delay `x` in s and goodput `y` in bit/s by label, with half-widths `dx`, `dy` of intervals."""
    points = {}
    for label in comparison.labels:
        mine = comparison.summary.filter(pl.col("label") == label)
        rows = {row["metric"]: row for row in mine.iter_rows(named=True)}
        if "queueing_delay_s" in rows and "goodput_bit_per_s" in rows:
            x, y = rows["queueing_delay_s"], rows["goodput_bit_per_s"]
            points[label] = {
                "x": x["mean"],
                "y": y["mean"],
                "dx": (x["high"] - x["low"]) / 2,
                "dy": (y["high"] - y["low"]) / 2,
            }
    return points
