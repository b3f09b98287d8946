"""A timeout."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ackclock.conformance.specifications.reno.timeout import CASE as RENO
from ackclock.conformance.specifications.reno.timeout import OUTAGE
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """Window and threshold at the timeout."""
    begin, end = OUTAGE
    before = float(np.max(trace.during("in_flight_packets", begin - 0.2, begin + 0.1)))
    least = float(np.min(trace.during("cwnd_packets", begin, end + 0.5)))
    yield Verdict.within("smallest window in packets", least, 1.0, 1.0)
    threshold = float(np.min(trace.during("ssthresh_packets", begin, end + 0.5)))
    yield Verdict.within("threshold, as a share of the flight before", threshold / before, 0.67, 0.74)


CASE = replace(
    RENO,
    section="RFC 9438, 4.8; RFC 9002, 7.6",
    statement=(
        "A timeout leaves one packet, and a threshold of 0.7 of what was outstanding. In QUIC losses that "
        "last for three probe timeouts, persistent congestion, leave the least window."
    ),
    rule=(
        "The smallest window is one packet; the threshold is 0.67 to 0.74 of the flight. In a log, within a "
        "round trip after persistent congestion the window is 4.5 packets at most."
    ),
    why=(
        "The flight is the largest from 200 ms before to 100 ms after the losses begin, some 45 packets. The "
        "acknowledgment that tells of the losses adds two packets to the two of the least window."
    ),
    observe=observe,
    needs_retransmission_timer=True,
    number=8,
)
