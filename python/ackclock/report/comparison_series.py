"""Figures over time of several runs: a curve per run, or a panel per run if curves would hide each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.report import style
from ackclock.report.curves import Floats, Panel, TimeFigure
from ackclock.report.quantities import QUANTITIES, THRESHOLD
from ackclock.report.series_reader import FLOWS_SHOWN

if TYPE_CHECKING:
    from ackclock.measures.record import RunRecord
    from ackclock.report.series_reader import SeriesReader

__all__ = ["ComparisonSeries"]


class ComparisonSeries:
    """The figures of a comparison, with the first run of each label."""

    def __init__(self, reader: SeriesReader) -> None:
        self.reader = reader
        self.looks = style.looks([result.label for result in reader.results])
        self.has_several_flows = any(flows.height > 1 for flows in reader.tcp.values())

    def window(self) -> TimeFigure:
        """A panel of congestion windows per label; with a single flow, its slow-start threshold too."""
        panels = tuple(self._window_panel(result) for result in self.reader.results)
        note = f"One line per TCP flow, {FLOWS_SHOWN} at most." if self.has_several_flows else THRESHOLD
        return TimeFigure(QUANTITIES["window"], panels, note)

    def _window_panel(self, result: RunRecord) -> Panel:
        tcp, look = self.reader.tcp[result.label], self.looks[result.label]
        names = [result.label] if tcp.height == 1 else tcp["name"].to_list()[:FLOWS_SHOWN]
        flows = tcp["flow"].to_list()[:FLOWS_SHOWN]
        curves = [
            self.reader.curve(name, look, self.reader.state(result, flow, "cwnd_packets"))
            for flow, name in zip(flows, names, strict=True)
        ]
        if tcp.height == 1:
            series = self.reader.state(result, flows[0], "ssthresh_packets")
            curves.append(self.reader.threshold(look, series))
        return Panel(result.label, tuple(curves))

    def of_flows(self, key: str, column: str, *, is_rate: bool = False) -> TimeFigure:
        """A quantity of all flows together: the sum of a rate, averaged over bins, or the mean of a state."""
        quantity = QUANTITIES[key]
        curves = []
        for result in self.reader.results:
            flows = self.reader.tcp[result.label]["flow"].to_list()
            read = self.reader.of_flow if is_rate else self.reader.state
            each = [read(result, flow, column) for flow in flows]
            times, values = each[0][0], np.stack([value for _, value in each])
            series = (
                self.reader.binned((times, values.sum(axis=0)))
                if is_rate
                else (times, _mean_of_known(values))
            )
            curves.append(self.reader.curve(result.label, self.looks[result.label], series, quantity.factor))
        note = f"{'Sum' if is_rate else 'Mean'} of all TCP flows." if self.has_several_flows else ""
        if is_rate:
            return TimeFigure(quantity, (Panel("", tuple(curves)),), note)
        return TimeFigure(quantity, tuple(Panel(curve.label, (curve,)) for curve in curves), note)

    def queue(self) -> TimeFigure:
        """A panel per label with the queue at the bottleneck."""
        panels = (
            self.reader.queue_panel(result, result.label, self.looks[result.label])
            for result in self.reader.results
        )
        return TimeFigure(QUANTITIES["queue"], tuple(panels), f"The queue before {self.reader.bottleneck}.")

    def drops(self) -> TimeFigure:
        """A curve per label with the number of drops at the bottleneck."""
        curves = (
            self.reader.drop_curve(result, result.label, self.looks[result.label])
            for result in self.reader.results
        )
        return TimeFigure(QUANTITIES["drops"], (Panel("", tuple(curves)),))


def _mean_of_known(values: Floats) -> Floats:
    """Column means over the flows that have a value; NaN where none has. Shapes (flows, n) to (n,)."""
    known = np.isfinite(values)
    count = known.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.where(count > 0, np.where(known, values, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)
