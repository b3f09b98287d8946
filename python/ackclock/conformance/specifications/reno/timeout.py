"""A timeout."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.qlog import Log
from ackclock.conformance.specifications import logs
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


def on_log(log: Log) -> Iterator[Verdict]:
    """The window after persistent congestion, of which no timeout but lost packets tell."""
    yield from logs.persistent(log)


CASE = Case(
    number=7,
    section="RFC 5681, 3.1, equation 4, and 3.1 on the loss window; RFC 9002, 7.6",
    title="A timeout leaves one segment",
    statement=(
        "A timeout sets the threshold to half of what is outstanding and the window to one segment; slow "
        "start then leads to the threshold. In QUIC losses that last for three probe timeouts, persistent "
        "congestion, leave the least window."
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
        "to the threshold pass 1 to 4.5 round trips. In a log, within a round trip after persistent "
        "congestion the window is 4.5 packets at most."
    ),
    why=(
        "From 4 to some 25 packets are 2.6 doublings, and the first of them begins within a round trip. The "
        "acknowledgment that tells of the losses adds two packets to the two of the least window. Losses "
        "last for one and a half durations, since the peer may delay acknowledgments for longer than usual."
    ),
    observe=observe,
    needs_retransmission_timer=True,
    on_log=on_log,
    shown=("cwnd_packets", "ssthresh_packets", "in_flight_packets"),
)
