"""Measures of a trace: the shares of the link, the fraction kept at a loss, the growth of windows."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from verification.comparisons.high_speed.dumbbell import STEP_S, Dumbbell
from verification.comparisons.high_speed.simulators import Floats, Trace

FALL = 0.97
"""A window below this part of the sample before counts as cut, if the threshold does not show it."""
RECOVERY_S = 0.2
"""The time within which a falling window belongs to the cut before."""


@dataclass(frozen=True)
class Sharing:
    """A run from the second flow's start to the end."""

    windows: tuple[float, float]
    """Averages over time, in packets."""
    jain: float
    """Jain's index of the flows' delivered packets."""
    goodput: float
    """The delivered packets, as a part of the bottleneck's capacity."""
    queue: float
    """The packets waiting, averaged over time."""
    loss: float
    """Packets dropped, as a part of those delivered."""

    @staticmethod
    def of(trace: Trace, dumbbell: Dumbbell) -> Sharing:
        """Measures a run."""
        inside = trace.time >= dumbbell.second_s - STEP_S / 2
        first, second = (float(value) for value in trace.cwnd[inside].mean(axis=0))
        delivered = np.ptp(trace.delivered[inside], axis=0)
        seconds = float(np.ptp(trace.time[inside]))
        return Sharing(
            (first, second),
            float(delivered.sum() ** 2 / (2 * (delivered**2).sum())),
            float(delivered.sum() / (dumbbell.capacity * seconds)),
            float(trace.queue[inside].mean()),
            float(np.ptp(trace.drops[inside]) / delivered.sum()),
        )


@dataclass(frozen=True)
class Stretch:
    """A flow between two cuts of its threshold."""

    flow: int
    first: bool
    """True if the previous reduction was the flow's first, which ends its slow start."""
    kept: float
    """The new threshold over the window before."""
    begin_s: float
    """When the cut was."""
    time: Floats
    """Seconds since the cut."""
    cwnd: Floats
    ssthresh: Floats
    queue: Floats


def cuts(cwnd: Floats, ssthresh: Floats) -> list[int]:
    """The samples at which a window had been cut.

    Mostly the threshold changes. Two cuts in a row may leave the same one, and show in the window alone.
    """
    # A threshold that nothing has cut yet is missing, infinite, or far beyond any window.
    known = (ssthresh[1:] > 0) & (ssthresh[1:] < cwnd[:-1])
    changed = known & (ssthresh[1:] != ssthresh[:-1])
    fallen = known & (cwnd[1:] < FALL * cwnd[:-1])
    found: list[int] = []
    for i in np.flatnonzero(changed | fallen):
        if changed[i] or not found or (i + 1 - found[-1]) * STEP_S > RECOVERY_S:
            found.append(int(i) + 1)
    return found


def stretches(trace: Trace) -> list[Stretch]:
    """All stretches of both flows; the last of each ends with the run."""
    found = []
    for flow in (0, 1):
        cwnd, ssthresh = trace.cwnd[:, flow], trace.ssthresh[:, flow]
        edges = cuts(cwnd, ssthresh)
        for begin, end in itertools.pairwise([*edges, len(cwnd)]):
            part = slice(begin, end)
            found.append(
                Stretch(
                    flow,
                    begin == edges[0],
                    float(ssthresh[begin] / cwnd[begin - 1]),
                    float(trace.time[begin]),
                    trace.time[part] - trace.time[begin],
                    cwnd[part],
                    ssthresh[part],
                    trace.queue[part],
                )
            )
    return found


@dataclass(frozen=True)
class Growth:
    """The growth of windows after losses are repaired: one entry per sample, of both flows."""

    since: Floats
    """Seconds since the cut."""
    window: Floats
    gain: Floats
    """Packets per round trip."""

    @staticmethod
    def of(parts: list[Stretch], dumbbell: Dumbbell, span_s: float) -> Growth:
        """Slopes over this many seconds, times the round-trip time that the queue makes."""
        half = round(span_s / 2 / STEP_S)
        since, window, gain = [], [], []
        for part in parts:
            middle = np.arange(half, len(part.time) - half)
            repaired = part.time[middle - half] >= RECOVERY_S
            middle = middle[repaired & (part.cwnd[middle - half] >= part.ssthresh[middle - half])]
            slope = (part.cwnd[middle + half] - part.cwnd[middle - half]) / (2 * half * STEP_S)
            rtt = 2 * dumbbell.delay_s + part.queue[middle] / dumbbell.capacity
            since.append(part.time[middle])
            window.append(part.cwnd[middle])
            gain.append(slope * rtt)
        return Growth(*(np.concatenate([[], *values]) for values in (since, window, gain)))

    def at(self, seconds: float) -> float:
        """Packets per round trip at this time after a cut; nan if no stretch lasted that long."""
        return self._median(np.abs(self.since - seconds) < 0.1, self.gain)

    def around(self, window: float) -> float:
        """Packets per round trip at windows within 5 % of this one."""
        return self._median(np.abs(self.window - window) < 0.05 * window, self.gain)

    def per_packet(self) -> float:
        """Packets gained per packet acknowledged."""
        return self._median(self.window > 0, self.gain / self.window)

    def fastest(self) -> float:
        """Packets per round trip that only one sample in a hundred exceeds."""
        return float(np.quantile(self.gain, 0.99)) if self.gain.size else float("nan")

    def slowest(self) -> float:
        """Packets per round trip that all but one sample in a hundred exceed."""
        return float(np.quantile(self.gain, 0.01)) if self.gain.size else float("nan")

    def _median(self, chosen: np.ndarray, values: Floats) -> float:
        return float(np.median(values[chosen])) if chosen.any() else float("nan")


def kept(parts: list[Stretch]) -> tuple[float, float]:
    """The lower and upper quartile of the part kept at a loss, without losses that end a slow start."""
    values = [part.kept for part in parts if not part.first]
    if not values:
        return float("nan"), float("nan")
    return float(np.quantile(values, 0.25)), float(np.quantile(values, 0.75))
