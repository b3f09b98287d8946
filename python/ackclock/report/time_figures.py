"""The figures over time of a run or a comparison: of single flows, or of the network as a whole."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ackclock.measures import metrics
from ackclock.report import style
from ackclock.report.call_figures import call_figure
from ackclock.report.capacity import capacity_bit_per_s, fair_share_bit_per_s, has_steady_links
from ackclock.report.comparison_series import ComparisonSeries
from ackclock.report.competitors import shares_over_time
from ackclock.report.curves import Curve, Panel, TimeFigure, thinned
from ackclock.report.film_figures import film_figures
from ackclock.report.quantities import QUANTITIES
from ackclock.report.run_series import RunSeries
from ackclock.report.sequence_figures import sequence_figure
from ackclock.report.series_reader import SeriesReader

if TYPE_CHECKING:
    from ackclock.measures.record import RunRecord
    from ackclock.report.record import ComparisonRecord

__all__ = ["time_figures"]

LIMIT = style.Look("#777777", "", ())
"""The look of a limit that the network sets: its capacity, a fair share."""

_SENT = pl.max_horizontal("packets_sent", pl.lit(1))

NETWORK = (
    ("active", pl.col("flows_active")),
    ("mean_window", pl.col("mean_cwnd_packets")),
    ("retransmission_rate", pl.col("retransmissions") / _SENT),
    ("goodput_of_all", pl.col("goodput_bit_per_s")),
)
"""Quantities of the network as a whole, as expressions over the columns of `network_series`."""


def time_figures(comparison: ComparisonRecord, points: int = 2000) -> list[TimeFigure]:
    """All figures over time, from the first seed; of films alone if the scenario recorded no series."""
    firsts = [comparison.result(label) for label in comparison.labels]
    films = film_figures(firsts, points)
    if not firsts or any("network_series" not in result.tables for result in firsts):
        return films
    if any("flow_series" not in result.tables for result in firsts):
        return [*films, *_network_figures(comparison, firsts, points)]
    reader = SeriesReader(firsts, comparison.bottleneck, points)
    series = ComparisonSeries(reader) if len(firsts) > 1 else RunSeries(reader)
    figures = []
    if reader.has_tcp:
        figures += [
            series.window(),
            series.of_flows("goodput-over-time", "goodput_bit_per_s", is_rate=True),
            series.of_flows("rtt", "rtt_s"),
            series.of_flows("in_flight", "in_flight_packets"),
        ]
    if all("link_series" in result.tables for result in firsts):
        figures.append(series.queue())
    if shares := shares_over_time(comparison, points):
        figures.insert(0, shares)
    if len(firsts) == 1 and (sequence := sequence_figure(firsts[0])):
        figures.insert(1, sequence)
    figures = [_with_values(figure) for figure in figures if _has_values(figure)]
    if len(firsts) == 1 and (calls := call_figure(firsts[0], points)):
        figures.insert(0, calls)
    figures = [_in_fitting_unit(_with_limit(comparison, reader, figure)) for figure in figures]
    return [*films, *figures, series.drops()]


def _has_values(figure: TimeFigure) -> bool:
    """True if any curve has a number; calls have no window, so that its curves are empty."""
    curves = [curve for panel in figure.panels for curve in panel.curves if not curve.is_auxiliary]
    return any(np.isfinite(curve.value).any() for curve in curves)


def _with_values(figure: TimeFigure) -> TimeFigure:
    """The figure without curves that have no number, which a legend would name: calls have no window."""
    panels = []
    for panel in figure.panels:
        curves = tuple(curve for curve in panel.curves if np.isfinite(curve.value).any())
        panels.append(replace(panel, curves=curves or panel.curves))
    return replace(figure, panels=tuple(panels))


def _with_limit(comparison: ComparisonRecord, reader: SeriesReader, figure: TimeFigure) -> TimeFigure:
    """The figure of the goodput with the bottleneck's capacity, or the fair share if each flow has a curve.

    A capacity that changes is drawn as a curve from the first run, averaged like the goodputs.
    """
    if figure.quantity.key != "goodput-over-time" or len(figure.panels) != 1:
        return figure
    panel = figure.panels[0]
    name, limit = "capacity", capacity_bit_per_s(comparison, payload=True)
    if not comparison.is_comparison and len(panel.curves) > 1:
        name, limit = "fair share", fair_share_bit_per_s(comparison)
    if not math.isfinite(limit):
        return figure
    factor = figure.quantity.factor
    if has_steady_links(comparison.scenario):
        ends = np.array([0.0, reader.end_s])
        line = Curve(name, LIMIT, ends, np.full(2, limit * factor), is_auxiliary=True)
    elif changing := reader.capacity(comparison.result(comparison.labels[0])):
        # `limit` is a fraction of the mean: the part without headers, or a flow's share of that part.
        part = limit / capacity_bit_per_s(comparison, payload=False)
        line = reader.curve(name, LIMIT, changing, part * factor)
        line = replace(line, is_auxiliary=True)
    else:
        return figure
    return replace(figure, panels=(replace(panel, curves=(*panel.curves, line)),))


def _in_fitting_unit(figure: TimeFigure) -> TimeFigure:
    """A figure of goodputs in the unit that tables have for numbers of that size."""
    quantity = figure.quantity
    values = [curve.value[np.isfinite(curve.value)] for panel in figure.panels for curve in panel.curves]
    if quantity.key != "goodput-over-time" or not any(each.size for each in values):
        return figure
    largest = max(float(each.max()) for each in values if each.size) / quantity.factor
    factor, unit = metrics.shown(metrics.metric("goodput_bit_per_s"), largest)
    panels = tuple(
        replace(
            panel,
            curves=tuple(
                replace(curve, value=curve.value * (factor / quantity.factor)) for curve in panel.curves
            ),
        )
        for panel in figure.panels
    )
    return replace(figure, quantity=replace(quantity, unit=unit, factor=factor), panels=panels)


def _network_figures(comparison: ComparisonRecord, results: list[RunRecord], points: int) -> list[TimeFigure]:
    """Figures of the network as a whole, for a scenario that records no series of single flows."""
    looks = style.looks(comparison.labels)
    figures = []
    for key, column in NETWORK:
        quantity = QUANTITIES[key]
        curves = []
        for result in results:
            # A sample describes the interval before it, and there is none before time zero.
            rows = result.network_series.filter(pl.col("time_s") > 0).select("time_s", value=column)
            time, value = (rows[name].to_numpy().astype(np.float64) for name in ("time_s", "value"))
            thin = thinned(time, value, points)
            curves.append(Curve(result.label, looks[result.label], thin[0], thin[1] * quantity.factor))
        figures.append(TimeFigure(quantity, (Panel("", tuple(curves)),)))
    return figures
