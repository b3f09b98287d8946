"""The packets of the jump are paced over the present round trip."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.careful_resume.memory import PHASE
from ackclock.conformance.specifications.paths import FORWARD, one_flow
from ackclock.conformance.trace import Trace, first
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The packets that leave in three quarters of the round trip after the initial window is acknowledged."""
    sent, trip = trace.sent.time_s, trace.path_rtt_s
    # The handshake is acknowledged before, and ten acknowledgments arrive within a millisecond.
    acknowledged = trace.acknowledged_s[trace.acknowledged_s > sent[0] + trip / 2]
    begin = first(acknowledged, "an acknowledgment of data") + 0.002
    for quarter in range(3):
        low, high = begin + quarter * trip / 4, begin + (quarter + 1) * trip / 4
        count = int(np.sum((sent >= low) & (sent < high)))
        yield Verdict.within(f"packets in quarter {quarter + 1} of the round trip", count, 18, 32)


CASE = Case(
    number=3,
    section="RFC 9959, 3.3 and 4.3.2",
    title="The packets of the jump are paced over the present round trip",
    statement="All packets of the Unvalidated Phase are paced by the present round trip.",
    scenario=one_flow(
        "900 Mbit/s", 200, 1, buffer="9000 packets", tcp={"segments_per_ack": 1}, watch=FORWARD
    ),
    rule=(
        "In each of the first three quarters of the round trip of 200 ms after the initial window is "
        "acknowledged 18 to 32 packets leave."
    ),
    why=(
        "A hundred packets are 25 in a quarter, and by the saved round trip of 100 ms they would be 50. "
        "Twenty of them left before, as slow start has it, so that the last quarter has fewer."
    ),
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets", PHASE),
)
