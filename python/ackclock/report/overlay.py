"""A run with measurements of other programs over it: figures over time, and a table of means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
import polars as pl

from ackclock.errors import InputError
from ackclock.formats import Measured
from ackclock.measures import metrics
from ackclock.measures.digits import number
from ackclock.report import style
from ackclock.report.curves import Curve, TimeFigure
from ackclock.report.figures import image, over_time
from ackclock.report.tables import Cell, View
from ackclock.report.templates import environment
from ackclock.report.time_figures import time_figures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from ackclock.measures.record import RunRecord
    from ackclock.report.record import ComparisonRecord

__all__ = ["draw", "in_page", "view"]

COLUMNS = {
    "window": ("cwnd_packets",),
    "goodput-over-time": ("goodput_bit_per_s",),
    "rtt": ("rtt_s", "srtt_s"),
    "in_flight": ("in_flight_packets",),
}
"""The columns of a measurement by figure, the best first."""

MEANS = (
    ("goodput_bit_per_s", "goodput_bit_per_s", True),
    ("cwnd_packets", "mean_cwnd_packets", False),
    ("rtt_s", "mean_rtt_s", False),
    ("in_flight_packets", "mean_queue_packets", False),
)
"""Columns of a measurement; the metric with their unit, which flows of a run may have; True for a sum."""

INKS = ("#222222", "#777777", "#a6761d", "#4f7f1f")
"""The colours of measurements, which no algorithm has."""


def draw(
    comparison: ComparisonRecord, measured: Mapping[str, Measured], width: float | str | None = None
) -> dict[str, Figure]:
    """The figures over time that runs and measurements have in common, by name.

    `measured` has the measurements by the names of their files. Raises InputError if there are none.
    """
    drawn = {}
    with mpl.rc_context(style.MATPLOTLIB):
        for figure in time_figures(comparison):
            curves = list(_curves(figure, measured))
            if curves:
                panels = tuple(replace(each, curves=(*each.curves, *curves)) for each in figure.panels)
                both = over_time(replace(figure, panels=panels), comparison.scenario.duration_s, width)
                if len(panels) > 1:
                    _add_legend(both, [curve.label for curve in curves], width)
                drawn[f"measured-{figure.quantity.key}"] = both
    if not drawn:
        raise InputError(
            f"{comparison.scenario.name}: no quantity is both in the runs and in the measurements; expected "
            "runs with time series, as ackclock run records them"
        )
    return drawn


def _add_legend(figure: Figure, labels: list[str], width: float | str | None) -> None:
    """Names the measurements above panels that have a title each instead of a legend."""
    named = dict(zip(*reversed(figure.axes[0].get_legend_handles_labels()), strict=True))
    handles = [named[label] for label in labels]
    figure.legend(handles, labels, loc="outside upper left", ncols=style.legend_columns(width, labels))


def _curves(figure: TimeFigure, measured: Mapping[str, Measured]) -> Iterator[Curve]:
    """The curves of a figure's quantity in all measurements, each with a colour and a dash of its own."""
    for name, each in measured.items():
        column = next((one for one in COLUMNS.get(figure.quantity.key, ()) if each.has(one)), None)
        if column is None:
            continue
        known = each.series.filter(pl.col(column).is_not_null())
        flows = known.partition_by("flow", maintain_order=True)
        for flow in flows:
            said = f"{name} {1 + each.flows.index(flow['flow'][0])}" if len(flows) > 1 else name
            place = list(measured).index(name)
            look = style.Look(INKS[place % len(INKS)], "", ())
            values = flow[column].to_numpy() * figure.quantity.factor
            yield Curve(said, look, flow["time_s"].to_numpy().astype(np.float64), values)


BEGIN, END = "<!-- measurements -->", "<!-- end of measurements -->"
"""The comments around the section of a report that an overlay adds."""


def in_page(
    page: str, comparison: ComparisonRecord, measured: Mapping[str, Measured], about: Mapping[str, str]
) -> str:
    """The report with a section of the measurements before its provenance, in place of an earlier one."""
    figures = [
        (name.removeprefix("measured-"), image(figure, "svg", about).decode().partition("<svg")[2])
        for name, figure in draw(comparison, measured).items()
    ]
    template = environment().get_template("measured.html.j2")
    section = template.render(names=list(measured), view=view(comparison, measured), figures=figures)
    before, begin, rest = page.partition(BEGIN)
    bare = before + rest.partition(END)[2].removeprefix("\n") if begin else page
    head, place, tail = bare.partition('<section id="provenance">')
    return f"{head}{BEGIN}\n{section}\n{END}\n{place}{tail}" if place else page


def view(comparison: ComparisonRecord, measured: Mapping[str, Measured]) -> View:
    """Means over time: a row per label and per measurement. Goodputs are sums over flows.

    Those of a run are the means of its results, so that a report has one number for each.
    """
    runs = {label: comparison.result(label) for label in comparison.labels}
    frames = {name: _with_rtt(each) for name, each in measured.items()}
    columns, rows = [("", "")], {name: [Cell(name)] for name in (*runs, *frames)}
    for column, like, is_sum in MEANS:
        means = {label: _mean_of_run(result, column, like, is_sum=is_sum) for label, result in runs.items()}
        means |= {name: _mean(frame, column, is_sum=is_sum) for name, frame in frames.items()}
        known = [value for value in means.values() if value is not None]
        if len(known) < 2:
            continue
        metric = metrics.metric(like)
        factor, unit = metrics.shown(metric, max(known))
        columns.append(({"in_flight_packets": "In flight"}.get(column, metric.title), unit))
        for name, value in means.items():
            digits = metrics.digits(metric, max(known))
            rows[name].append(Cell("–" if value is None else number(value * factor, digits)))
    return View("", tuple(columns), tuple(tuple(row) for row in rows.values()), _note(comparison))


def _note(comparison: ComparisonRecord) -> str:
    warm_up_s = comparison.scenario.warm_up_s
    since = f" from {warm_up_s:g} s on" if warm_up_s else ""
    return f"Means over time: of the run{since}, as in its results, and of all that was measured."


def _mean_of_run(result: RunRecord, column: str, like: str, *, is_sum: bool) -> float | None:
    """The mean of a run's flows that are acknowledged, by its results where they have it."""
    flows = result.flows.filter(pl.col("kind") != "udp")
    if like in flows.columns:
        known = flows[like].fill_nan(None).drop_nulls()
        if known.is_empty():
            return None
        return float(known.sum()) if is_sum else float(known.mean())  # type: ignore[arg-type]
    series = result.flow_series.filter(pl.col("flow").is_in(flows["flow"].to_list()) & (pl.col("time_s") > 0))
    return _mean(series, column, is_sum=is_sum)


def _with_rtt(measured: Measured) -> pl.DataFrame:
    """The series, with smoothed round-trip times where there are no others."""
    if measured.has("rtt_s"):
        return measured.series
    return measured.series.with_columns(rtt_s="srtt_s")


def _mean(frame: pl.DataFrame, column: str, *, is_sum: bool) -> float | None:
    """The mean over time of each flow, summed or averaged over the flows; None without a value."""
    known = frame.with_columns(pl.col(column).fill_nan(None)).drop_nulls(column)
    means = known.group_by("flow", maintain_order=True).agg(pl.col(column).mean())[column]
    if means.is_empty():
        return None
    return float(means.sum()) if is_sum else float(means.mean())  # type: ignore[arg-type]
