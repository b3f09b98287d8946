"""Calls by the test cases of RFC 8867 and RFC 8869, with the measures of RFC 8868.

A new case is a file with a `Case`, and its name in `CASES`.
"""

from __future__ import annotations

from ackclock.evaluation.rmcat import beside_tcp, capacity, sharing, wireless
from ackclock.evaluation.suite import Suite

__all__ = ["CASES", "SUITE"]

CASES = (
    capacity.VARIABLE,
    capacity.SHARED,
    capacity.CONGESTED_FEEDBACK,
    sharing.COMPETING,
    sharing.ROUND_TRIPS,
    beside_tcp.LONG,
    beside_tcp.SHORT,
    sharing.PAUSE,
    *wireless.CASES,
)

SUITE = Suite(
    key="rmcat",
    title="RFC 8867",
    criteria=CASES,
    not_evaluated=wireless.NOT_EVALUATED,
    thresholds="The RFCs state almost no numbers: a bound is ours unless it is said to be theirs.",
    replaced=(
        (
            "Jitter is the sum of three uniform delays of up to 10 ms: RFC 8868's recommended 5 ms of "
            "standard deviation, without reordering, cut off at three deviations."
        ),
        "A queue of 300 ms is that of the mean rate where the capacity changes.",
        "Nothing repairs losses, so the loss after repair is the loss.",
        "The wireless links have frames and repetitions, but no medium that hosts share.",
        (
            "In 5.8 the first of three equal calls pauses. In 5.7 TCP ends at 240 s, since the RFC names no "
            "time."
        ),
    ),
)
