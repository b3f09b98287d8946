"""A later slow start is a standard one."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.hystart.phases import CONSERVATIVE
from ackclock.conformance.specifications.paths import losing, one_flow
from ackclock.conformance.trace import Trace, first
from ackclock.measures.verdict import Verdict

OUTAGE = (2.0, 3.6)


def observe(trace: Trace) -> Iterator[Verdict]:
    """The phase after the timeout, and the way to the threshold."""
    late = trace.time_s > OUTAGE[1]
    began = float(np.max(trace.gauge(CONSERVATIVE)[late]))
    yield Verdict.same("conservative slow start after the timeout", began, 0.0)
    yield from outside(trace)


def outside(trace: Trace) -> Iterator[Verdict]:
    """The round trips from four packets to the threshold."""
    late, window = trace.time_s > OUTAGE[1], trace.series("cwnd_packets")
    threshold = trace.at("ssthresh_packets", OUTAGE[1])
    begin = first(trace.time_s[late & (window >= 4)], "a window of 4 packets")
    end = first(trace.time_s[late & (window >= 0.95 * threshold)], "a window at the threshold")
    doublings = np.log2(0.95 * threshold / 4)
    trips = (end - begin) / trace.path_rtt_s
    yield Verdict.within(
        "round trips from 4 packets to the threshold, less doublings", trips - doublings, -1, 2.5
    )


CASE = Case(
    number=9,
    section="RFC 9406, 4.3",
    title="A later slow start is a standard one",
    statement=(
        "HyStart++ is meant for the first slow start alone: after a timeout slow start leads to the "
        "threshold."
    ),
    scenario=one_flow(
        "50 Mbit/s",
        100,
        8,
        buffer="1600 packets",
        tcp={"segments_per_ack": 1, "rto_min": "1 s"},
        loss=losing(1.0, *OUTAGE),
    ),
    rule=(
        "After the timeout conservative slow start does not begin, and from 4 packets to the threshold pass "
        "as many round trips as doublings, less one to two and a half more."
    ),
    why=(
        "The queue of the first slow start is gone, but a window of hundreds of packets makes one of its own."
    ),
    observe=observe,
    needs_retransmission_timer=True,
    outside=outside,
    shown=("cwnd_packets", "ssthresh_packets", CONSERVATIVE),
)
