"""Reads time series of finished runs and makes curves of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ackclock.measures import over_time, statistics
from ackclock.report import style
from ackclock.report.curves import Curve, Floats, Panel, thinned
from ackclock.report.span import shown_until_s

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.measures.record import RunRecord

__all__ = ["FLOWS_SHOWN", "Series", "SeriesReader"]

FLOWS_SHOWN = 6
"""The largest number of flows of a run that have a curve each."""

BINS = 40
"""The number of bins over which rates are averaged."""

Series = tuple[Floats, Floats]
"""Times in seconds, and a value for each."""


class SeriesReader:
    """The time series of runs of one scenario, as curves of about `points` points."""

    def __init__(self, results: Sequence[RunRecord], bottleneck: str, points: int) -> None:
        self.results = results
        self.bottleneck = bottleneck
        self.points = points
        self.end_s = shown_until_s(results)
        self.tcp = {result.label: result.flows.filter(pl.col("kind") != "udp") for result in results}
        self._by_flow: dict[str, dict[int, dict[str, Floats]]] = {}
        self._spans: dict[str, dict[int, tuple[float, float]]] = {}

    @property
    def has_tcp(self) -> bool:
        """True if any run has TCP flows."""
        return any(flows.height for flows in self.tcp.values())

    def of_flow(self, result: RunRecord, flow: int, column: str) -> Series:
        """One column of the series of a flow, at every sample of the run."""
        by_flow = self._by_flow.setdefault(result.label, {})
        if flow not in by_flow:
            by_flow[flow] = over_time.of_flow(result, flow)
        rows = by_flow[flow]
        return rows["time_s"], rows[column]

    def state(self, result: RunRecord, flow: int, column: str) -> Series:
        """One column of the series of a flow from its start to its end; before and after it has no value."""
        if result.label not in self._spans:
            spans = self.tcp[result.label].select("flow", "start_s", "finish_s").iter_rows()
            self._spans[result.label] = {flow: (start, finish) for flow, start, finish in spans}
        time, value = self.of_flow(result, flow, column)
        start, finish = self._spans[result.label][flow]
        # An unknown end is NaN, and no time is after it.
        return time, np.where((time < start) | (time > finish), np.nan, value)

    def binned(self, series: Series) -> Series:
        """Means of a rate over bins of one fortieth of the time shown, or the sampling interval if longer."""
        is_shown = series[0] <= self.end_s
        times, values = series[0][is_shown], series[1][is_shown]
        interval = times[1] - times[0] if times.size > 1 else self.end_s
        return statistics.binned_mean(times, values, max(self.end_s / BINS, interval), self.end_s)

    def capacity(self, result: RunRecord) -> Series | None:
        """The capacity of the bottleneck in bit/s, averaged as rates are; None if no series has it."""
        rows = result.link_series.filter(pl.col("link") == self._link(result), pl.col("time_s") > 0)
        if rows["capacity_bit_per_s"].is_nan().all():
            return None
        return self.binned((rows["time_s"].to_numpy(), rows["capacity_bit_per_s"].to_numpy()))

    def curve(self, label: str, look: style.Look, series: Series, factor: float = 1) -> Curve:
        """A curve of the values times `factor`, from the first known value to the last."""
        known = np.flatnonzero(np.isfinite(series[1]) & (series[0] <= self.end_s))
        span = slice(known[0], known[-1] + 1) if known.size else slice(0)
        time, value = thinned(series[0][span], series[1][span], self.points)
        return Curve(label, look, time, value * factor)

    def threshold(self, look: style.Look, series: Series) -> Curve:
        """The curve of a slow-start threshold, which has gaps where the threshold is infinite."""
        time, value = series
        finite = np.where(np.isfinite(value), value, np.nan)
        return Curve("ssthresh", look, *thinned(time, finite, self.points), is_step=True, is_auxiliary=True)

    def queue_panel(self, result: RunRecord, title: str, look: style.Look) -> Panel:
        """The queue of the bottleneck in one run, with marks at its drops."""
        rows = result.link_series.filter(pl.col("link") == self._link(result))
        series = rows["time_s"].to_numpy(), rows["queue_packets"].to_numpy().astype(np.float64)
        marks = self._drop_times(result)
        return Panel(title, (self.curve("queue", look, series),), thinned(marks, marks, self.points)[0])

    def drop_curve(self, result: RunRecord, label: str, look: style.Look) -> Curve:
        """The number of drops at the bottleneck in one run up to each time."""
        times = self._drop_times(result)
        time = np.concatenate(([0.0], times, [self.end_s]))
        value = np.concatenate((np.arange(times.size + 1), [times.size])).astype(np.float64)
        return Curve(label, look, *thinned(time, value, self.points), is_step=True)

    def _link(self, result: RunRecord) -> int:
        return int(result.links.row(by_predicate=pl.col("name") == self.bottleneck, named=True)["link"])

    def _drop_times(self, result: RunRecord) -> Floats:
        return result.drops.filter(pl.col("link") == self._link(result))["time_s"].to_numpy()
