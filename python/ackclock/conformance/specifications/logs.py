"""The growth of a window and its reductions, as the log of a stack shows them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ackclock.conformance.qlog import Log
from ackclock.measures.verdict import Outcome, Verdict

__all__ = ["Reduction", "left", "once", "reductions", "slow_start_growth"]

LEAST = 0.97
"""A window that falls to less than this share of itself was reduced; more may be rounding."""

SMALL = 4.5
"""Packets: at windows below it the least window of two packets decides what a reduction leaves."""


@dataclass(frozen=True)
class Reduction:
    """A fall of the window."""

    time_s: float
    before: float
    after: float
    in_flight: tuple[float, float]
    """The data in flight before it, and at it, where lost packets may be taken out."""

    def share(self, expected: float) -> float:
        """The share that it left of the window or of the flight, whichever is nearer to the expected one."""
        bases = [base for base in (self.before, *self.in_flight) if base > 0]
        return min((self.after / base for base in bases), key=lambda share: abs(share - expected))


def reductions(log: Log) -> list[Reduction]:
    """Each fall of the window."""
    window, flight = log.window_packets, log.in_flight_packets
    places = np.flatnonzero(window[1:] < LEAST * window[:-1]).tolist()
    return [
        Reduction(
            float(log.time_s[at + 1]),
            float(window[at]),
            float(window[at + 1]),
            (float(flight[at]), float(flight[at + 1])),
        )
        for at in places
    ]


def left(log: Log, share: float) -> Iterator[Verdict]:
    """The share that each reduction leaves of the window, or of what is in flight.

    Stacks reduce one or the other, and some take out the lost packets first.
    """
    found = [each for each in reductions(log) if each.before > SMALL]
    if not found:
        yield Verdict("the log", "no reduction of the window", "at least one", Outcome.UNDECIDED)
    for each in found:
        what = f"share left by the reduction at {each.time_s:.3f} s"
        yield Verdict.near(what, each.share(share), share, 0.02)


def once(log: Log) -> Iterator[Verdict]:
    """The time between reductions, which is a round trip at least."""
    found = reductions(log)
    if len(found) < 2 or not log.losses_s.size:
        yield Verdict("the log", "fewer than two reductions of the window", "two", Outcome.UNDECIDED)
        return
    if not math.isfinite(log.round_trip_s):
        yield Verdict("the log", "no round-trip time", "events with min_rtt", Outcome.UNDECIDED)
        return
    shortest = min(np.diff([each.time_s for each in found]))
    what = "shortest time between two reductions, in smallest round trips"
    yield Verdict.within(what, float(shortest) / log.round_trip_s, 0.99, math.inf)


def slow_start_growth(log: Log) -> Iterator[Verdict]:
    """The fastest growth of a round trip before the first reduction."""
    found = reductions(log)
    end = found[0].time_s if found else float(log.time_s[-1])
    known = math.isfinite(log.round_trip_s)
    times = log.time_s[log.time_s < end - log.round_trip_s].tolist() if known else []
    if not times:
        yield Verdict("the log", "no round trip before a reduction", "at least one", Outcome.UNDECIDED)
        return
    growth = max(log.window_at(time + 0.99 * log.round_trip_s) / log.window_at(time) for time in times)
    yield Verdict.within("fastest growth in a smallest round trip", growth, 1.0, 2.05)
