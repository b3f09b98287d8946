"""A timeout."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import losing, one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

OUTAGE = (2.0, 3.6)
"""The time in which everything is lost, in seconds."""


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window at the timeout and the growth after it."""
    begin, end = OUTAGE
    before = float(np.max(trace.during("in_flight_packets", begin - 0.2, begin + 0.1)))
    least = float(np.min(trace.during("cwnd_packets", begin, end + 0.5)))
    yield Verdict.within("smallest window in packets", least, 1.0, 1.0)
    threshold = float(np.min(trace.during("ssthresh_packets", begin, end + 0.5)))
    yield Verdict.within("threshold, as a share of the flight before", threshold / before, 0.45, 0.56)
    window, times = trace.series("cwnd_packets"), trace.time_s
    late = times > end
    doubled = times[late & (window >= 4)], times[late & (window >= 0.95 * threshold)]
    took = float(doubled[1][0] - doubled[0][0]) / trace.path_rtt_s if doubled[1].size else np.inf
    yield Verdict.within("round trips from 4 packets to the threshold", took, 1.0, 4.5)


CASE = Case(
    number=7,
    section="RFC 5681, 3.1, equation 4, and 3.1 on the loss window",
    title="A timeout leaves one segment",
    statement=(
        "A timeout sets the threshold to half of what is outstanding and the window to one segment; slow "
        "start then leads to the threshold."
    ),
    scenario=one_flow(
        "100 Mbit/s",
        100,
        8,
        buffer="1000 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": "40 packets", "rto_min": "1 s"},
        loss=losing(1.0, *OUTAGE),
    ),
    rule=(
        "The smallest window is one packet; the threshold is 0.45 to 0.56 of the flight; from 4 packets "
        "to the threshold pass 1 to 4.5 round trips."
    ),
    why="From 4 to some 25 packets are 2.6 doublings, and the first of them begins within a round trip.",
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", "in_flight_packets"),
)
