"""The statements of the paper on curves, as numbers read off the curves of a run."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ackclock import Result

Floats = NDArray[np.float64]

FALL = 0.9
"""A window that falls below this part of the sample before was cut: Vegas' single steps stay above it."""


@dataclass(frozen=True)
class Cut:
    """A reduction of the window: the sample before, the one after, and the threshold then, in packets."""

    before: float
    after: float
    ssthresh: float
    index: int


@dataclass(frozen=True)
class Trace:
    """Connection 1 over time: seconds, packets, and bit/s of payload; shapes (n,)."""

    time: Floats
    cwnd: Floats
    ssthresh: Floats
    rtt: Floats
    goodput: Floats

    @staticmethod
    def of(result: Result) -> Trace:
        """The trace of a run's TCP connection, which is its flow 0."""
        rows = result.flow_series.filter(pl.col("flow") == 0)
        names = ("time_s", "cwnd_packets", "ssthresh_packets", "rtt_s", "goodput_bit_per_s")
        return Trace(*(rows[name].to_numpy().astype(np.float64) for name in names))

    def cuts(self) -> list[Cut]:
        """Every reduction of the window."""
        at = np.flatnonzero(self.cwnd[1:] < FALL * self.cwnd[:-1]) + 1
        return [
            Cut(float(self.cwnd[i - 1]), float(self.cwnd[i]), float(self.ssthresh[i]), int(i)) for i in at
        ]

    def phases(self, *, slow_start: bool) -> Iterator[tuple[int, int]]:
        """Stretches [first, last) without a cut, below the threshold (slow start) or not (avoidance)."""
        below = self.cwnd < self.ssthresh
        borders = {0, self.time.size, *(cut.index for cut in self.cuts())}
        borders |= set((np.flatnonzero(below[1:] != below[:-1]) + 1).tolist())
        edges = sorted(borders)
        for first, last in itertools.pairwise(edges):
            if bool(below[first]) == slow_start:
                yield first, last

    def over_round_trips(self, *, slow_start: bool) -> tuple[Floats, Floats]:
        """Windows a round trip apart in a phase: when a packet left, and when its acknowledgment came.

        Counted from the first growth in the phase, so without the wait for the acknowledgment of a
        retransmission, to the last, and only where the round-trip time is a sample of this phase.
        """
        before: list[float] = []
        after: list[float] = []
        for first, last in self.phases(slow_start=slow_start):
            cwnd = self.cwnd[first:last]
            grown = np.flatnonzero(cwnd > cwnd[0])
            fresh = np.flatnonzero(self.rtt[first:last] != self.rtt[first])
            if grown.size == 0 or fresh.size == 0:
                continue
            start = first + int(grown[0]) - 1
            end = first + int(np.argmax(cwnd))
            for arrival in range(max(first + int(fresh[0]), start), end + 1):
                sent = (
                    int(np.searchsorted(self.time, self.time[arrival] - self.rtt[arrival], side="right")) - 1
                )
                if sent >= start:
                    before.append(float(self.cwnd[sent]))
                    after.append(float(self.cwnd[arrival]))
        return np.array(before), np.array(after)

    def doubling_factor(self) -> float:
        """By what the window multiplies per round trip of slow start: the median over all; 1 for none."""
        before, after = self.over_round_trips(slow_start=True)
        return float(np.median(after / before)) if before.size else 1.0

    def growth_per_round_trip(self) -> float:
        """Packets the window grows by per round trip of avoidance: the mean over all of them; 0 for none."""
        before, after = self.over_round_trips(slow_start=False)
        return float(np.mean(after - before)) if before.size else 0.0

    def first_reaches(self, packets: float) -> float:
        """When the window first has this size, in seconds; infinite if never."""
        there = np.flatnonzero(self.cwnd >= packets)
        return float(self.time[there[0]]) if there.size else math.inf

    def climbs_back(self, cut: Cut) -> bool:
        """True if slow start follows: up to the threshold faster than by one packet per round trip."""
        there = np.flatnonzero(self.cwnd[cut.index :] >= cut.ssthresh)
        least = float(np.nanmin(self.rtt))
        took = (self.time[cut.index + there[0]] - self.time[cut.index]) / least if there.size else math.inf
        return bool(cut.after < cut.ssthresh and took < cut.ssthresh - cut.after)

    def excursion(self, since_s: float) -> float:
        """The largest distance of the window from its median since then, in packets."""
        window = self.cwnd[self.time >= since_s]
        return float(np.max(np.abs(window - np.median(window))))

    def binned_rate(self, width_s: float) -> tuple[Floats, Floats]:
        """Ends of successive intervals of this width in seconds, and the mean rate in each."""
        per_bin = round(width_s / float(self.time[1] - self.time[0]))
        rates = self.goodput[1:]  # the sample at 0 stands for no time
        whole = rates[: rates.size // per_bin * per_bin].reshape(-1, per_bin).mean(axis=1)
        return width_s * np.arange(1, whole.size + 1), whole

    def running_mean_rate(self) -> tuple[Floats, Floats]:
        """The mean rate from the beginning up to each time."""
        return self.time[1:], np.cumsum(self.goodput[1:]) / np.arange(1, self.time.size)

    def rises_within(self, width_s: float, share: float) -> float:
        """When intervals of this width first carry this share of the overall mean rate, in seconds."""
        ends, rates = self.binned_rate(width_s)
        there = np.flatnonzero(rates >= share * self.goodput[1:].mean())
        return float(ends[there[0]]) if there.size else math.inf

    def drift(self, since_s: float) -> float:
        """The largest distance of the running mean from the overall mean since then, relative to it."""
        time, rates = self.running_mean_rate()
        return float(np.max(np.abs(rates[time >= since_s] / rates[-1] - 1)))

    def unevenness(self, width_s: float, since_s: float) -> float:
        """The largest distance of an interval's rate from the mean of all since then, relative to it."""
        ends, rates = self.binned_rate(width_s)
        late = rates[ends > since_s]
        return float(np.max(np.abs(late / late.mean() - 1)))
