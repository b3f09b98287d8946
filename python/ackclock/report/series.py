"""Time series as figures need them: one curve per flow or per algorithm, thinned without losing extremes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ackclock.measures import statistics
from ackclock.report import style

if TYPE_CHECKING:
    from ackclock.measures.record import RunRecord
    from ackclock.report.record import ComparisonRecord

__all__ = ["FLOWS_SHOWN", "QUANTITIES", "Curve", "Panel", "Quantity", "TimeFigure", "thinned", "time_figures"]

Floats = NDArray[np.float64]

FLOWS_SHOWN = 6
"""At most this many flows of a run are drawn one by one."""


@dataclass(frozen=True)
class Quantity:
    """Something drawn over time. `factor` takes base units into `unit`."""

    key: str
    title: str
    axis: str
    unit: str
    factor: float
    explanation: str
    from_zero: bool = True


QUANTITIES = {
    quantity.key: quantity
    for quantity in (
        Quantity(
            "window",
            "Congestion window",
            "cwnd",
            "packets",
            1,
            "What the sender allows itself to have in flight; dashed, the slow-start threshold.",
        ),
        Quantity(
            "throughput",
            "Goodput over time",
            "goodput",
            "kbit/s",
            1e-3,
            "Payload delivered to the application, averaged over one fortieth of the run.",
        ),
        Quantity(
            "rtt",
            "Round-trip time",
            "RTT",
            "ms",
            1e3,
            "The latest sample, never from a retransmission.",
            False,
        ),
        Quantity(
            "in_flight", "Packets in flight", "in flight", "packets", 1, "Sent and not yet accounted for."
        ),
        Quantity(
            "queue",
            "Queue at the bottleneck",
            "waiting",
            "packets",
            1,
            "Packets waiting, without the one being sent; ticks on top mark drops.",
        ),
        Quantity(
            "active", "Flows active", "active", "flows", 1, "Flows whose connection is open or being opened."
        ),
        Quantity(
            "mean_window",
            "Mean congestion window",
            "mean cwnd",
            "packets",
            1,
            "Over the flows that are active.",
        ),
        Quantity(
            "sent_again",
            "Retransmission rate",
            "sent again",
            "% of packets",
            100,
            "Packets sent again, of all sent in the interval.",
        ),
        Quantity(
            "goodput_of_all",
            "Goodput of all flows",
            "goodput",
            "Mbit/s",
            1e-6,
            "Payload delivered to applications in the interval.",
        ),
        Quantity(
            "drops", "Drops", "dropped so far", "packets", 1, "Packets dropped at the bottleneck, all flows."
        ),
    )
}


_SENT = pl.max_horizontal("packets_sent", pl.lit(1))

NETWORK = (
    ("active", pl.col("flows_active")),
    ("mean_window", pl.col("mean_cwnd_packets")),
    ("sent_again", pl.col("retransmissions") / _SENT),
    ("goodput_of_all", pl.col("goodput_bit_per_s")),
)
"""Quantities of the network as a whole, and how they follow from the columns of `network_series`."""


@dataclass(frozen=True)
class Curve:
    """One line: `time` in seconds, `value` in its quantity's unit, shapes (n,); NaN breaks the line."""

    label: str
    look: style.Look
    time: Floats
    value: Floats
    is_step: bool = False
    is_auxiliary: bool = False
    """A threshold or a companion, drawn thin and dashed."""


@dataclass(frozen=True)
class Panel:
    """One set of axes. `marks` are instants of drops in seconds."""

    title: str
    curves: tuple[Curve, ...]
    marks: Floats


@dataclass(frozen=True)
class TimeFigure:
    """One quantity over time in one panel or several with the same axes."""

    quantity: Quantity
    panels: tuple[Panel, ...]
    note: str = ""


def thinned(time: Floats, value: Floats, points: int) -> tuple[Floats, Floats]:
    """About `points` samples, the lowest and highest of every stretch among them, at their true times."""
    n = time.size
    if n <= points:
        return time, value
    width = -(-2 * n // points)
    padded = np.full(-(-n // width) * width, np.nan)
    padded[:n] = value
    stretches = padded.reshape(-1, width)
    known = np.isfinite(stretches)
    first = np.arange(stretches.shape[0]) * width
    keep = [
        first + np.where(known, stretches, np.inf).argmin(axis=1),
        first + np.where(known, stretches, -np.inf).argmax(axis=1),
        np.flatnonzero(np.diff(np.isfinite(value)) != 0),  # where the line breaks and where it goes on
        np.flatnonzero(np.diff(np.isfinite(value)) != 0) + 1,
        np.array([0, n - 1]),
    ]
    index = np.unique(np.concatenate(keep))
    index = index[index < n]
    return time[index], value[index]


_NONE = np.empty(0, dtype=np.float64)


def time_figures(comparison: ComparisonRecord, points: int = 2000) -> list[TimeFigure]:
    """Everything worth drawing over time, from the first seed; empty when the scenario recorded no series."""
    firsts = [comparison.result(label) for label in comparison.labels]
    if not firsts or any(result.network_series.is_empty() for result in firsts):
        return []
    if any(result.flow_series.is_empty() for result in firsts):
        return _network_figures(comparison, firsts, points)
    draw = _Comparing(comparison, firsts, points) if len(firsts) > 1 else _Single(comparison, firsts, points)
    figures = []
    if any(draw.tcp[result.label].height for result in firsts):
        figures += [draw.window(), draw.throughput(), draw.rtt(), draw.in_flight()]
    return [*figures, draw.queue(), draw.drops()]


def _network_figures(comparison: ComparisonRecord, results: list[RunRecord], points: int) -> list[TimeFigure]:
    """Of the network as a whole, where a scenario records no series of single flows: a curve per label."""
    looks = style.looks(comparison.labels)
    figures = []
    for key, column in NETWORK:
        quantity = QUANTITIES[key]
        curves = []
        for result in results:
            # At time zero nothing has happened; of the interval before it nothing is known.
            rows = result.network_series.filter(pl.col("time_s") > 0).select("time_s", value=column)
            time, value = (rows[name].to_numpy().astype(np.float64) for name in ("time_s", "value"))
            thin = thinned(time, value, points)
            curves.append(Curve(result.label, looks[result.label], thin[0], thin[1] * quantity.factor))
        figures.append(TimeFigure(quantity, (Panel("", tuple(curves), _NONE),)))
    return figures


class _Drawing:
    """What both kinds of figure share: reading columns of one run, for some of its flows."""

    def __init__(self, comparison: ComparisonRecord, results: list[RunRecord], points: int) -> None:
        self.link = comparison.bottleneck
        self.by_flow: dict[str, dict[int, pl.DataFrame]] = {}
        self.results = results
        self.points = points
        self.duration = results[0].scenario.duration_s
        self.tcp = {result.label: result.flows.filter(pl.col("kind") != "udp") for result in results}

    def column(self, result: RunRecord, flow: int, name: str) -> tuple[Floats, Floats]:
        if result.label not in self.by_flow:
            parts = result.flow_series.partition_by("flow", as_dict=True)
            self.by_flow[result.label] = {int(key[0]): part for key, part in parts.items()}
        rows = self.by_flow[result.label][flow]
        return rows["time_s"].to_numpy(), rows[name].to_numpy().astype(np.float64)

    def curve(self, label: str, look: style.Look, pair: tuple[Floats, Floats], factor: float) -> Curve:
        time, value = thinned(*pair, self.points)
        return Curve(label, look, time, value * factor)

    def threshold(self, look: style.Look, pair: tuple[Floats, Floats]) -> Curve:
        time, value = pair
        finite = np.where(np.isfinite(value), value, np.nan)
        return Curve("ssthresh", look, *thinned(time, finite, self.points), is_step=True, is_auxiliary=True)

    def binned(self, pair: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        interval = pair[0][1] - pair[0][0] if pair[0].size > 1 else self.duration
        width = max(self.duration / 40, interval)
        return statistics.binned_mean(*pair, width, self.duration)

    def queue_panel(self, result: RunRecord, title: str, look: style.Look) -> Panel:
        number = result.links.row(by_predicate=pl.col("name") == self.link, named=True)["link"]
        rows = result.link_series.filter(pl.col("link") == number)
        pair = rows["time_s"].to_numpy(), rows["queue_packets"].to_numpy().astype(np.float64)
        marks = result.drops.filter(pl.col("link") == number)["time_s"].to_numpy()
        return Panel(title, (self.curve("queue", look, pair, 1),), thinned(marks, marks, self.points)[0])

    def drop_curve(self, result: RunRecord, label: str, look: style.Look) -> Curve:
        number = result.links.row(by_predicate=pl.col("name") == self.link, named=True)["link"]
        times = result.drops.filter(pl.col("link") == number)["time_s"].to_numpy()
        time = np.concatenate(([0.0], times, [self.duration]))
        value = np.concatenate((np.arange(times.size + 1), [times.size])).astype(np.float64)
        return Curve(label, look, *thinned(time, value, self.points), is_step=True)

    def window(self) -> TimeFigure:
        raise NotImplementedError

    def rates(self, key: str, column: str) -> TimeFigure:
        raise NotImplementedError

    def throughput(self) -> TimeFigure:
        return self.rates("throughput", "goodput_bit_per_s")

    def rtt(self) -> TimeFigure:
        return self.rates("rtt", "rtt_s")

    def in_flight(self) -> TimeFigure:
        return self.rates("in_flight", "in_flight_packets")

    def queue(self) -> TimeFigure:
        raise NotImplementedError

    def drops(self) -> TimeFigure:
        raise NotImplementedError


class _Single(_Drawing):
    """One run: a curve per flow."""

    def flows(self) -> list[tuple[int, str]]:
        tcp = self.tcp[self.results[0].label]
        return list(zip(tcp["flow"].to_list(), tcp["name"].to_list(), strict=True))[:FLOWS_SHOWN]

    def flow_looks(self) -> dict[int, style.Look]:
        tcp = self.tcp[self.results[0].label]
        algorithms = tcp["algorithm"].to_list()[:FLOWS_SHOWN]
        if len(set(algorithms)) == len(algorithms):
            by_algorithm = style.looks(algorithms)
            looks = [by_algorithm[algorithm] for algorithm in algorithms]
        else:
            looks = list(style.looks(tcp["name"].to_list()[:FLOWS_SHOWN]).values())
        return {flow: look for (flow, _), look in zip(self.flows(), looks, strict=True)}

    def names(self) -> dict[int, str]:
        tcp = self.tcp[self.results[0].label]
        algorithms = dict(zip(tcp["flow"].to_list(), tcp["algorithm"].to_list(), strict=True))
        return {flow: f"{name} ({algorithms[flow]})" for flow, name in self.flows()}

    def note(self) -> str:
        total = self.tcp[self.results[0].label].height
        return f"The first {FLOWS_SHOWN} of {total} TCP flows." if total > FLOWS_SHOWN else ""

    def window(self) -> TimeFigure:
        result, looks, names = self.results[0], self.flow_looks(), self.names()
        curves = [
            self.curve(names[flow], looks[flow], self.column(result, flow, "cwnd_packets"), 1)
            for flow, _ in self.flows()
        ]
        if len(curves) == 1:
            flow = self.flows()[0][0]
            curves.append(self.threshold(looks[flow], self.column(result, flow, "ssthresh_packets")))
        return TimeFigure(QUANTITIES["window"], (Panel("", tuple(curves), _NONE),), self.note())

    def rates(self, key: str, column: str) -> TimeFigure:
        result, looks, names, quantity = self.results[0], self.flow_looks(), self.names(), QUANTITIES[key]
        curves = []
        for flow, _ in self.flows():
            pair = self.column(result, flow, column)
            if key == "throughput":
                pair = self.binned(pair)
            curves.append(self.curve(names[flow], looks[flow], pair, quantity.factor))
        return TimeFigure(quantity, (Panel("", tuple(curves), _NONE),), self.note())

    def queue(self) -> TimeFigure:
        panel = self.queue_panel(self.results[0], self.link, style.Look(style.BLUE, ".", ()))
        return TimeFigure(QUANTITIES["queue"], (panel,))

    def drops(self) -> TimeFigure:
        curve = self.drop_curve(self.results[0], self.link, style.Look(style.VERMILION, ".", ()))
        return TimeFigure(QUANTITIES["drops"], (Panel("", (curve,), _NONE),))


class _Comparing(_Drawing):
    """Several labels: a panel each where lines would hide each other, one curve each elsewhere."""

    def __init__(self, comparison: ComparisonRecord, results: list[RunRecord], points: int) -> None:
        super().__init__(comparison, results, points)
        self.looks = style.looks(comparison.labels)

    def window(self) -> TimeFigure:
        panels = []
        several = False
        for result in self.results:
            look = self.looks[result.label]
            flows = self.tcp[result.label]["flow"].to_list()
            names = self.tcp[result.label]["name"].to_list()
            several = several or len(flows) > 1
            curves = [
                self.curve(
                    result.label if len(flows) == 1 else name,
                    look,
                    self.column(result, flow, "cwnd_packets"),
                    1,
                )
                for flow, name in list(zip(flows, names, strict=True))[:FLOWS_SHOWN]
            ]
            if len(flows) == 1:
                curves.append(self.threshold(look, self.column(result, flows[0], "ssthresh_packets")))
            panels.append(Panel(result.label, tuple(curves), _NONE))
        note = f"One line per TCP flow, {FLOWS_SHOWN} at most." if several else ""
        return TimeFigure(QUANTITIES["window"], tuple(panels), note)

    def rates(self, key: str, column: str) -> TimeFigure:
        quantity = QUANTITIES[key]
        is_sum = key == "throughput"
        curves = []
        several = False
        for result in self.results:
            flows = self.tcp[result.label]["flow"].to_list()
            several = several or len(flows) > 1
            pairs = [self.column(result, flow, column) for flow in flows]
            values = np.stack([value for _, value in pairs])
            total = values.sum(axis=0) if is_sum else _mean_of_known(values)
            pair = self.binned((pairs[0][0], total)) if is_sum else (pairs[0][0], total)
            curves.append(self.curve(result.label, self.looks[result.label], pair, quantity.factor))
        note = f"{'Sum' if is_sum else 'Mean'} of all TCP flows." if several else ""
        if is_sum:
            return TimeFigure(quantity, (Panel("", tuple(curves), _NONE),), note)
        return TimeFigure(quantity, tuple(Panel(curve.label, (curve,), _NONE) for curve in curves), note)

    def queue(self) -> TimeFigure:
        panels = [self.queue_panel(result, result.label, self.looks[result.label]) for result in self.results]
        return TimeFigure(QUANTITIES["queue"], tuple(panels), f"The queue before {self.link}.")

    def drops(self) -> TimeFigure:
        curves = [self.drop_curve(result, result.label, self.looks[result.label]) for result in self.results]
        return TimeFigure(QUANTITIES["drops"], (Panel("", tuple(curves), _NONE),))


def _mean_of_known(values: Floats) -> Floats:
    """Column means over the flows that have a value; NaN where none has. Shapes (flows, n) to (n,)."""
    known = np.isfinite(values)
    count = known.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.where(count > 0, np.where(known, values, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)
