"""Alpha stays at one while every packet is marked."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.dctcp.marking import ALPHA
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The estimate and the window after a second."""
    late = trace.time_s > 2.0
    yield Verdict.within("smallest alpha", float(np.min(trace.gauge(ALPHA)[late])), 0.3, 1.0)
    yield from outside(trace)


def outside(trace: Trace) -> Iterator[Verdict]:
    """The window after a second."""
    late = trace.time_s > 2.0
    yield Verdict.within(
        "largest window in packets", float(np.max(trace.series("cwnd_packets")[late])), 1.0, 8.0
    )


CASE = Case(
    number=10,
    section="RFC 8257, 3.3, steps 5, 6 and 9",
    title="Where most packets are marked the window stays small",
    statement=(
        "An estimate near one makes the response that of standard TCP, half of the window in each round trip."
    ),
    scenario=one_flow(
        "2 Mbit/s",
        20,
        6,
        buffer="100 packets",
        tcp={"segments_per_ack": 1},
        ecn_threshold="1 packets",
    ),
    rule="From 2 s on alpha is never below 0.3, and the window at most 8 packets.",
    why="The pipe holds three packets, and the queue marks from the second on.",
    observe=observe,
    outside=outside,
    shown=(ALPHA, "cwnd_packets"),
)
