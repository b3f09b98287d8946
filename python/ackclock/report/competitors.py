"""Table and figures of competitors that share a bottleneck."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ackclock.measures import competitors, metrics
from ackclock.measures.digits import number
from ackclock.report import style
from ackclock.report.curves import Panel, TimeFigure
from ackclock.report.quantities import QUANTITIES
from ackclock.report.series_reader import SeriesReader
from ackclock.report.tables import Cell, View, mean_cell

if TYPE_CHECKING:
    from ackclock.report.record import ComparisonRecord

__all__ = ["shares", "shares_over_time", "view"]

HEADINGS = (
    ("share", "Share", "%", 100.0, 1),
    ("goodput_bit_per_s", "Goodput", "", 1.0, 2),
    ("mean_rtt_s", "Mean RTT", "ms", 1e3, 1),
    ("loss_share", "Loss rate†", "%", 100.0, 3),
    ("retransmissions", "Retransmissions†", "packets", 1.0, 1),
    ("timeouts", "Timeouts†", "", 1.0, 1),
)


def view(comparison: ComparisonRecord) -> View:
    """A row for each competitor in the runs that all share, with its goodput in runs of its own."""
    found = {
        (row["label"], row["metric"]): row for row in comparison.competition_summary.iter_rows(named=True)
    }
    metric = metrics.metric("goodput_bit_per_s")
    rates = [row["mean"] for (_, key), row in found.items() if key == metric.key]
    factor, unit = metrics.shown(metric, max(rates, default=0))
    digits = metrics.digits(metric, max(rates, default=0))
    alone = {
        row["label"]: row
        for row in comparison.summary.filter(pl.col("metric") == metric.key).iter_rows(named=True)
    }

    columns, rows = [("Together", "")], {label: [Cell(label)] for label in comparison.competitors}
    for key, heading, its_unit, its_factor, places in HEADINGS:
        is_rate = key == metric.key
        columns.append((heading, unit if is_rate else its_unit))
        for label, cells in rows.items():
            chosen = (factor, digits) if is_rate else (its_factor, places)
            cells.append(mean_cell(found.get((label, key)), *chosen, comparison.seeds_alike))
    columns.append(("Without the others", unit))
    for label, cells in rows.items():
        cells.append(mean_cell(alone.get(label), factor, digits, comparison.seeds_alike))
    return View("", tuple(columns), tuple(tuple(cells) for cells in rows.values()), _note(comparison))


def _note(comparison: ComparisonRecord) -> str:
    row = comparison.competition_summary.filter(pl.col("metric") == "fairness").row(0, named=True)
    index = mean_cell(row, 1, 3, comparison.seeds_alike).text
    return (
        f"Together on one bottleneck, each with all of the scenario's flows; Jain's index over the "
        f"{number(len(comparison.competitors), 0)} competitors {index}. A † counts the warm-up."
    )


def shares(comparison: ComparisonRecord) -> pl.DataFrame:
    """The share of each competitor: `label`, `mean`, `low` and `high`."""
    return comparison.competition_summary.filter(pl.col("metric") == "share")


def shares_over_time(comparison: ComparisonRecord, points: int) -> TimeFigure | None:
    """The share of each competitor over time in the first seed; none without series of flows."""
    result = comparison.shared_run
    if result is None or "flow_series" not in result.tables:
        return None
    reader, looks = SeriesReader([result], comparison.bottleneck, points), style.looks(comparison.labels)
    numbers = result.flows["flow"].to_list()
    rates, times = {}, np.empty(0)
    for label, rows in competitors.flows_of(result, comparison.competitors).items():
        each = [reader.binned(reader.of_flow(result, numbers[row], "goodput_bit_per_s")) for row in rows]
        times = each[0][0] if each else times
        rates[label] = np.sum([np.nan_to_num(value) for _, value in each], axis=0)
    whole = np.sum(list(rates.values()), axis=0)
    quantity = QUANTITIES["competition-over-time"]
    curves = []
    for label, rate in rates.items():
        share = np.divide(rate, whole, out=np.full(whole.shape, np.nan), where=whole > 0)
        curves.append(reader.curve(label, looks[label], (times, share), quantity.factor))
    return TimeFigure(quantity, (Panel("", tuple(curves)),))
