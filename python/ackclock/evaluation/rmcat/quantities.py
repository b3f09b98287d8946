"""The measures of calls that RFC 8868 (section 3) asks for, from the tables of one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ackclock.evaluation.criterion import Measure
from ackclock.evaluation.networks import BOTTLENECK
from ackclock.evaluation.rmcat.networks import AUDIO, HIGHEST
from ackclock.measures import over_time
from ackclock.measures.record import RunRecord

__all__ = [
    "COMMON",
    "DELAY",
    "FRAME_DELAY",
    "FREEZES",
    "LOST",
    "MAIN",
    "OSCILLATION",
    "RAMP",
    "SHARE",
    "Calls",
    "Span",
    "available",
    "common",
]

HEADERS = 40
"""The bytes of the headers of a call's packet (IPv4, UDP and RTP), which its goodput does not count."""

STEP_S = 0.2
"""The interval of the time series, RFC 8867's typical one."""

Floats = NDArray[np.float64]
Span = tuple[float, float]

DELAY = Measure("call_delay_95_s", "packet delay, 95th percentile", "ms", 1e3, 0, "lower", 0.005)
FRAME_DELAY = Measure("frame_delay_95_s", "frame delay, 95th percentile", "ms", 1e3, 0, "lower", 0.005)
LOST = Measure("call_lost", "packets lost, none repaired", "%", 100, 2, "lower", 0.001)
SHARE = Measure("call_share", "rate over the rate there is", "", 1, 2, "higher", 0.01)
FREEZES = Measure("call_freezes", "freezes of a call", "", 1, 1, "lower", 0.5)
RAMP = Measure("call_ramp_s", "time to ramp up", "s", 1, 1, "lower", 0.5)
OSCILLATION = Measure("call_oscillation", "oscillation of the rate", "%", 100, 0, "lower", 0.01)

COMMON = (DELAY, FRAME_DELAY, LOST, SHARE, FREEZES, RAMP, OSCILLATION)
"""The measures of every case. Of several calls delay, time and oscillation are the worst call's."""

MAIN = (DELAY, LOST, SHARE, FREEZES, RAMP)
"""Those for the terminal."""


class Calls:
    """The calls of a run: their rates on the wire over time, and the queue that they wait in."""

    def __init__(self, result: RunRecord) -> None:
        self.result = result
        flows = result.columns("flows")
        self.rows = [row for row, kind in enumerate(flows["kind"]) if kind == "rtp"]
        self.names = [str(flows["name"][row]) for row in self.rows]
        self.audio = sum(str(name).startswith("audio") for name in flows["name"])
        self.starts = [float(flows["start_s"][row]) for row in self.rows]
        self.table = result.columns("calls") if self.rows else {}
        self._times: Floats = over_time.sample_times(result)
        every = (over_time.of_flow(result, row) for row in range(len(flows["kind"])))
        self._goodputs = [np.nan_to_num(series["goodput_bit_per_s"]) for series in every]
        self.rates = [self._goodputs[row] * self._wire(place) for place, row in enumerate(self.rows)]

    def _wire(self, place: int) -> float:
        """The bytes on the wire for one of payload."""
        payload = float(np.asarray(self.result.columns("flows")["bytes_delivered"])[self.rows[place]])
        packets = float(np.asarray(self.table["packets_delivered"])[place])
        return 1 + HEADERS * packets / payload if payload else 1.0

    @property
    def times(self) -> Floats:
        """The times of the rates, in s."""
        return self._times

    def _within(self, span: Span) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = (self._times > span[0] + STEP_S / 2) & (
            self._times <= span[1] + STEP_S / 2
        )
        return found

    def rate(self, place: int, span: Span) -> float:
        """The mean rate of a call in a span, in bit/s."""
        return float(self.rates[place][self._within(span)].mean())

    def all_rates(self, span: Span) -> list[float]:
        """The mean rate of each call in a span, in bit/s."""
        return [self.rate(place, span) for place in range(len(self.rows))]

    def total(self, span: Span) -> float:
        """The mean rate of all calls together in a span, in bit/s."""
        return sum(self.all_rates(span))

    def windows(self, place: int, span: Span, seconds: float) -> Floats:
        """The mean rates of a call in successive windows of a span, in bit/s."""
        found = self.rates[place][self._within(span)]
        size = round(seconds / STEP_S)
        whole = len(found) // size * size
        means: Floats = found[:whole].reshape(-1, size).mean(axis=1)
        return means

    def tcp(self, span: Span) -> float:
        """The mean goodput of all TCP flows together in a span, in bit/s."""
        kinds = self.result.columns("flows")["kind"]
        within = self._within(span)
        return float(
            sum(self._goodputs[row][within].mean() for row, kind in enumerate(kinds) if kind == "tcp")
        )

    def queue_95_s(self, spans: Sequence[Span]) -> float:
        """The 95th percentile of the queue's length over all spans, in s at the capacity of the time."""
        links = self.result.columns("links")
        link = list(links["name"]).index(BOTTLENECK)
        series = self.result.columns("link_series")
        mine = np.asarray(series["link"]) == link
        time = np.asarray(series["time_s"], dtype=float)[mine]
        queue = np.asarray(series["queue_bytes"], dtype=float)[mine]
        capacity = np.asarray(series["capacity_bit_per_s"], dtype=float)[mine]
        capacity = np.where(np.isfinite(capacity), capacity, float(links["rate_bit_per_s"][link]))
        chosen = np.zeros(len(time), dtype=bool)
        for low, high in spans:
            chosen |= (time > low) & (time <= high)
        return float(np.quantile(8 * queue[chosen] / capacity[chosen], 0.95))

    def worst(self, column: str) -> float:
        """The largest value of a column of the table `calls`; 0 without a call."""
        values = np.nan_to_num(np.asarray(self.table.get(column, [0.0]), dtype=float))
        return float(values.max())

    def lost(self) -> float:
        """The share of the packets of all calls that was lost."""
        if not self.rows:
            return 0.0
        lost, arrived = (
            float(np.asarray(self.table[name]).sum()) for name in ("packets_lost", "packets_delivered")
        )
        return lost / (lost + arrived) if lost + arrived else 1.0

    def oscillation(self, span: Span) -> float:
        """The standard deviation of the rates of seconds over their mean, of the worst call."""
        worst = 0.0
        for place in range(len(self.rows)):
            rates = self.windows(place, span, 1.0)
            worst = max(worst, float(rates.std() / rates.mean()) if rates.mean() else 1.0)
        return worst

    def ratio(self, span: Span) -> float:
        """The highest mean rate over the lowest one (RFC 8868, 3)."""
        rates = self.all_rates(span)
        return max(rates) / max(min(rates), 1.0) if rates else 1.0

    def ramp_s(self, span: Span) -> float:
        """The time from a call's start until a second has 90 % of its mean rate in a span, of the slowest."""
        slowest = 0.0
        for place, start in enumerate(self.starts):
            rates = self.windows(place, (start, span[1]), 1.0)
            reached = np.flatnonzero(rates >= 0.9 * self.rate(place, span))
            slowest = max(slowest, float(reached[0] + 1) if len(reached) else span[1] - start)
        return slowest


def available(capacity: float, calls: int, audio: int) -> float:
    """The rate that there is for a number of calls: the link without streams of audio, or their maximum."""
    return min(capacity - audio * AUDIO, calls * HIGHEST)


def common(calls: Calls, spans: Sequence[tuple[Span, float]]) -> Mapping[str, float]:
    """The measures of every case; each span has the capacity that there is for calls in it, in bit/s."""
    count = len(calls.rows)
    shares = [calls.total(span) / available(capacity, count, calls.audio) for span, capacity in spans]
    freezes = np.nan_to_num(np.asarray(calls.table.get("stalls", [0.0]), dtype=float))
    return {
        DELAY.key: calls.worst("delay_p95_s"),
        FRAME_DELAY.key: calls.worst("frame_delay_p95_s"),
        LOST.key: calls.lost(),
        SHARE.key: float(np.mean(shares)),
        FREEZES.key: float(freezes.mean()),
        RAMP.key: calls.ramp_s(spans[0][0]),
        OSCILLATION.key: max(calls.oscillation(span) for span, _ in spans),
    }
