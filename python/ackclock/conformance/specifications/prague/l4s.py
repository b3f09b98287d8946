"""The paths of Prague's cases: a queue that marks as RFC 9332 says, and the marks on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ackclock.conformance.specifications.paths import FORWARD, one_flow, stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

__all__ = [
    "ALPHA",
    "ECT_1",
    "L4S",
    "MARK",
    "SETTLED_S",
    "Reduction",
    "faster",
    "l4s",
    "marks_per_round_trip",
    "reductions",
]

ALPHA = "prague_alpha"

ECT_1, MARK = 1, 3
"""The bits of the ECN field."""

SETTLED_S = 4.0
"""The time from which on a flow is judged in its steady state."""


def l4s(rate: object, rtt_ms: float, seconds: float, **changed: Any) -> dict[str, Any]:
    """A flow whose bottleneck is DualPI2, with its packets before and behind it recorded."""
    return one_flow(
        rate,
        rtt_ms,
        seconds,
        buffer="2000 packets",
        watch=(*FORWARD, "left->right"),
        **{"queue": "dualpi2", "reverse": {"queue": "droptail"}, **changed},
    )


L4S = l4s("40 Mbit/s", 30, 12)


def faster(at_s: float, rtt_ms: float, seconds: float) -> dict[str, object]:
    """A link whose rate rises to ten times, so that marks stop and the window grows."""
    return l4s(stepped("10 Mbit/s", (at_s, "100 Mbit/s")), rtt_ms, seconds)


def marks_per_round_trip(trace: Trace) -> Iterator[Verdict]:
    """The mean number of marks in a round trip of the second half of the run."""
    behind = trace.watched(2)
    half = float(trace.time_s[-1]) / 2
    marks = int(np.sum((behind.ecn == MARK) & (behind.time_s > half)))
    trips = half / float(np.nanmean(trace.series("rtt_s")[trace.time_s > half]))
    yield Verdict.within("marks per round trip", marks / trips, 2.0, np.inf)


@dataclass(frozen=True)
class Reduction:
    """A fall of the window in the steady state."""

    time_s: float
    before: float
    after: float


def reductions(trace: Trace) -> list[Reduction]:
    """Each fall of the window in the steady state."""
    window, times = trace.series("cwnd_packets"), trace.time_s
    places = np.flatnonzero((window[1:] < 0.995 * window[:-1]) & (times[1:] > SETTLED_S)).tolist()
    return [Reduction(float(times[at + 1]), float(window[at]), float(window[at + 1])) for at in places]
