"""The growth and the first recovery of Rapid Start, and the paths of its cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ackclock.conformance.specifications.paths import one_flow, stepped
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace, first
from ackclock.measures.verdict import Verdict

__all__ = ["STEP_S", "TRIPLING", "empty", "falls_at", "growth_after_step", "longer"]

TRIPLING = "rapid_start_tripling"

STEP_S = 0.25


def empty(loss: Mapping[str, object] | None = None) -> dict[str, object]:
    """A pipe of 7500 packets, which stays empty until its first loss."""
    tcp = {"segments_per_ack": 1}
    if loss is None:
        return one_flow("900 Mbit/s", 100, 2, buffer="9000 packets", tcp=tcp)
    return one_flow("900 Mbit/s", 100, 2, buffer="9000 packets", tcp=tcp, loss=loss)


def longer(rtt_ms: int, by_ms: float) -> dict[str, object]:
    """An empty pipe of this round trip, which becomes this much longer after two and a half of them."""
    one_way = rtt_ms / 2 - 2
    delay = stepped(f"{one_way:g} ms", (rtt_ms / 400, f"{one_way + by_ms / 2:g} ms"))
    tcp = {"segments_per_ack": 1}
    return one_flow("4 Gbit/s", rtt_ms, rtt_ms / 100, buffer="20000 packets", tcp=tcp, delay=delay)


def growth_after_step(trace: Trace, low: float, high: float) -> Iterator[Verdict]:
    """The growth of the window in the two round trips of data that measure the longer path.

    The first of them begins four and a half round trips into the run.
    """
    begin = 4.6 * trace.path_rtt_s
    trip = trace.at("rtt_s", begin)
    for number in (0, 1):
        before = window_at(trace, begin + number * trip)
        after = window_at(trace, begin + (number + 1) * trip)
        yield Verdict.within(
            f"growth in round trip {number + 1} of the longer path", after / before, low, high
        )


def falls_at(trace: Trace) -> float:
    """The last sample before the window first falls. Raises NotSeenError."""
    window = trace.series("cwnd_packets")
    place = np.flatnonzero(window[1:] < window[:-1])
    return first(trace.time_s[place], "a window that falls")
