"""The paths of the cases of LEDBAT++, and its slowdowns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.windows import growth_per_round_trip
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Outcome, Verdict

__all__ = [
    "ALONE",
    "LEAST",
    "TARGET_MS",
    "Slowdown",
    "empty",
    "gains",
    "never_slowed",
    "queueing_ms",
    "slow_start_ends_s",
    "slowdowns",
]

TARGET_MS = 60.0

LEAST = 2.0
"""Packets: the window of a slowdown, and the smallest one."""

ALONE: dict[str, Any] = one_flow(
    "10 Mbit/s", 40, 40, buffer="400 packets", tcp={"segments_per_ack": 1}, sample="2 ms"
)
"""One flow, and a buffer of 480 ms, eight targets."""


def empty(rtt_ms: float, seconds: float) -> dict[str, object]:
    """A pipe that never fills, and a slow start that ends at 30 packets."""
    return one_flow(
        "200 Mbit/s",
        rtt_ms,
        seconds,
        buffer="2000 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": "30 packets"},
    )


@dataclass(frozen=True)
class Slowdown:
    """A time in which the window goes down to two packets and comes back."""

    begin_s: float
    held_until_s: float
    """The window is above two packets from here on."""
    back_s: float
    """The window is what it was before."""
    before: float


def slowdowns(trace: Trace) -> list[Slowdown]:
    """Each slowdown that ended before the run did."""
    window, times = trace.series("cwnd_packets"), trace.time_s
    begins = np.flatnonzero((window[1:] <= LEAST) & (window[:-1] > 2 * LEAST)) + 1
    found = []
    for begin in begins.tolist():
        before = float(window[begin - 1])
        up = np.flatnonzero(window[begin:] > LEAST)
        back = np.flatnonzero(window[begin:] >= 0.99 * before)
        if up.size and back.size:
            places = begin, begin + int(up[0]), begin + int(back[0])
            begin_s, held_until_s, back_s = (float(times[place]) for place in places)
            found.append(Slowdown(begin_s, held_until_s, back_s, before))
    return found


def never_slowed(count: int = 1) -> Verdict:
    """The verdict on a run with too few slowdowns."""
    return Verdict("slowdowns that end", "fewer", f"{count} at least", Outcome.FAILS)


def slow_start_ends_s(trace: Trace) -> float:
    """The time at which the threshold becomes finite; infinite if it never does."""
    ended = trace.time_s[np.isfinite(trace.series("ssthresh_packets"))]
    return float(ended[0]) if ended.size else np.inf


def queueing_ms(trace: Trace, begin_s: float, end_s: float) -> np.ndarray:
    """The delay of the queue at the samples between two times."""
    inside = (trace.time_s >= begin_s) & (trace.time_s < end_s)
    rate = trace.capacity_bit_per_s[inside] / trace.packet_bits
    delays: np.ndarray = 1e3 * trace.link("queue_packets")[inside] / rate
    return delays


def gains(least: float, most: float) -> Callable[[Trace], Iterator[Verdict]]:
    """An observation of the growth over fifteen round trips after the first slowdown, in packets for each."""

    def observe(trace: Trace) -> Iterator[Verdict]:
        found = slowdowns(trace)
        if not found:
            yield never_slowed()
            return
        growth = growth_per_round_trip(trace, found[0].back_s + 2 * trace.path_rtt_s, 15)
        yield Verdict.within("growth in packets per round trip", growth, least, most)

    return observe
