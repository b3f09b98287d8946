"""The two flows' windows over time, and what the chapter says of curves as numbers read off them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ackclock import Result
from ackclock.measures import over_time

Floats = NDArray[np.float64]

SECOND_START_S = 250.0
STARTS_S = (0.0, SECOND_START_S)
END_S = 1000.0
FALL = 0.95
"""A window that falls below this part of the sample before was cut: Scalable's keeps 0.875."""
APART = 0.8
"""The smaller window over the larger, averaged over AVERAGED_S, at which flows have diverged."""
AVERAGED_S = 20.0


@dataclass(frozen=True)
class Beat:
    """The intervals between two reductions: seconds and packets, shapes (n,)."""

    time: Floats
    cwnd: Floats

    @property
    def duration_s(self) -> float:
        """From the first sample to the last."""
        return float(self.time[-1] - self.time[0])

    @property
    def gain(self) -> float:
        """Packets gained."""
        return float(self.cwnd[-1] - self.cwnd[0])

    def early_share(self) -> float:
        """The part of the gain that the first third of the time brings."""
        third = float(np.interp(self.time[0] + self.duration_s / 3, self.time, self.cwnd))
        return (third - float(self.cwnd[0])) / self.gain


@dataclass(frozen=True)
class Windows:
    """A run's windows: seconds, packets of the first and second flow, drops of each in s."""

    time: Floats
    first: Floats
    second: Floats
    drops: tuple[Floats, Floats]
    alphas: tuple[Floats, Floats]
    """FAST's alpha at each time, or empty."""

    @staticmethod
    def of(result: Result) -> Windows:
        """The windows of a run with time series."""
        flows = [over_time.of_flow(result, flow) for flow in (0, 1)]
        drops = [
            result.drops.filter(pl.col("flow") == flow)["time_s"].to_numpy().astype(np.float64)
            for flow in (0, 1)
        ]
        gauges = result.gauges.filter(pl.col("name") == "fast_alpha_packets")
        alphas = [
            gauges.filter(pl.col("flow") == flow).select("time_s", "value").to_numpy() for flow in (0, 1)
        ]
        first, second = (rows["cwnd_packets"] for rows in flows)
        return Windows(flows[0]["time_s"], first, second, (drops[0], drops[1]), (alphas[0], alphas[1]))

    def average(self, flow: int, begin_s: float, end_s: float) -> float:
        """A flow's average window between two times, in packets."""
        inside = (self.time >= begin_s) & (self.time <= end_s)
        return float(np.mean((self.first, self.second)[flow][inside]))

    def cuts(self, end_s: float = SECOND_START_S) -> list[int]:
        """Samples after which the first flow's window was cut, up to a time."""
        cwnd = self.first[self.time < end_s]
        return [int(i) for i in np.flatnonzero(cwnd[1:] < FALL * cwnd[:-1])]

    def beats(self, end_s: float = SECOND_START_S) -> list[Beat]:
        """The intervals between the first flow's reductions while it is alone."""
        return [
            Beat(self.time[a + 1 : b + 1], self.first[a + 1 : b + 1])
            for a, b in itertools.pairwise(self.cuts(end_s))
            if b > a + 1
        ]

    def growth_per_s(self) -> float:
        """Packets per second that the first flow gains alone, after its slow start and between cuts."""
        cuts = self.cuts()
        last = int(np.searchsorted(self.time, SECOND_START_S)) - 1
        edges = [*cuts, last]
        spans = [(a + 1, b) for a, b in itertools.pairwise(edges) if b > a + 1]
        gained = sum(self.first[b] - self.first[a] for a, b in spans)
        return float(gained / sum(self.time[b] - self.time[a] for a, b in spans))

    def closeness(self) -> tuple[Floats, Floats]:
        """The smaller window over the larger, averaged over 20 s, at the middle of each such stretch."""
        both = self.time > SECOND_START_S
        step = float(self.time[1] - self.time[0])
        width = round(AVERAGED_S / step)
        first, second = (_running_mean(cwnd[both], width) for cwnd in (self.first, self.second))
        middle = self.time[both][: first.size] + (width - 1) / 2 * step
        return middle, np.minimum(first, second) / np.maximum(first, second)

    def convergence_s(self, level: float) -> float:
        """From the second flow's start until windows are this close; the rest of the run if never."""
        middle, closeness = self.closeness()
        there = np.flatnonzero(closeness >= level)
        return float(middle[there[0]] - SECOND_START_S) if there.size else END_S - SECOND_START_S

    def has_converged(self, level: float) -> bool:
        """True if windows come this close within the run."""
        return bool(np.any(self.closeness()[1] >= level))

    def converges_then_diverges(self) -> bool:
        """True if flows come within 10 % of each other and are 20 % apart or more later."""
        closeness = self.closeness()[1]
        there = np.flatnonzero(closeness >= (1 + APART) / 2)
        return bool(there.size and np.any(closeness[there[0] :] <= APART))

    def ratio(self, begin_s: float, end_s: float) -> float:
        """The smaller average window over the larger, between two times."""
        averages = [self.average(flow, begin_s, end_s) for flow in (0, 1)]
        return min(averages) / max(averages)

    def end_ratio(self, last_s: float) -> float:
        """The smaller average window over the larger, over the last seconds of the run."""
        return self.ratio(END_S - last_s, END_S)

    def apart(self, last_s: float) -> float:
        """The windows' difference as a share of the larger, averaged over the last seconds of the run."""
        last = self.time >= END_S - last_s
        first, second = self.first[last], self.second[last]
        return float(np.mean(np.abs(first - second) / np.maximum(first, second)))

    def loses_between(self, flow: int, begin_s: float, end_s: float) -> bool:
        """True if any packet of a flow is dropped between two times."""
        times = self.drops[flow]
        return bool(np.any((times >= begin_s) & (times < end_s)))

    def losses_per_s(self, flow: int, end_s: float) -> float:
        """The number of packets that a flow loses from its start to a time."""
        return float(np.sum(self.drops[flow] < end_s) / (end_s - STARTS_S[flow]))

    def lacking_late(self, enough: float, late_s: float) -> float:
        """Of what both windows together lack of enough packets, the share long after the last loss."""
        both = self.time > SECOND_START_S
        lacking = np.maximum(0.0, enough - self.first[both] - self.second[both])
        drops = np.sort(np.concatenate(self.drops))
        before = np.searchsorted(drops, self.time[both], side="right")
        last = np.concatenate(([-np.inf], drops))[before]
        total = float(np.sum(lacking))
        return float(np.sum(lacking[self.time[both] - last > late_s])) / total if total else 0.0

    def tuned_at(self, alpha: float) -> tuple[float, float]:
        """When FAST's alpha first comes down to a number, for each flow; infinity if it never does."""
        moments = []
        for begin, alphas in zip(STARTS_S, self.alphas, strict=True):
            tuned = alphas[(alphas[:, 0] > begin) & (alphas[:, 1] <= alpha)] if alphas.size else alphas
            moments.append(float(tuned[0, 0]) if tuned.size else np.inf)
        return moments[0], moments[1]

    def swings(self, flow: int, step_s: float) -> list[float]:
        """A flow's greatest window over its least, in each stretch of this many seconds."""
        cwnd = (self.first, self.second)[flow]
        found = []
        for begin in np.arange(STARTS_S[flow], END_S, step_s):
            inside = cwnd[(self.time > begin) & (self.time <= begin + step_s)]
            found.append(float(np.max(inside) / np.min(inside)))
        return found


def _running_mean(values: Floats, width: int) -> Floats:
    sums = np.concatenate(([0.0], np.cumsum(values)))
    return (sums[width:] - sums[:-width]) / width
