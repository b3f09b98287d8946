"""The first flight above slow start's is paced over a round trip."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import FORWARD, one_flow
from ackclock.conformance.specifications.rapid_start.phases import TRIPLING
from ackclock.conformance.trace import Trace, first
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The packets that leave in each quarter of the round trip after the first acknowledgment."""
    sent, trip = trace.sent.time_s, trace.path_rtt_s
    # The handshake is acknowledged before.
    begin = first(
        trace.acknowledged_s[trace.acknowledged_s > sent[0] + trip / 2], "an acknowledgment of data"
    )
    for quarter in range(4):
        low, high = begin + quarter * trip / 4, begin + (quarter + 1) * trip / 4
        count = int(np.sum((sent >= low) & (sent < high)))
        yield Verdict.within(f"packets in quarter {quarter + 1} of the round trip", count, 5, 11)


CASE = Case(
    number=6,
    section="draft-kazuho-ccwg-rapid-start-02, 3.1",
    title="The first flight above slow start's is paced over a round trip",
    statement=(
        "When the sender first sends more than slow start would, its packets are paced over a whole round "
        "trip."
    ),
    scenario=one_flow(
        "900 Mbit/s", 100, 1, buffer="9000 packets", tcp={"segments_per_ack": 1}, watch=FORWARD
    ),
    rule=("In each quarter of the round trip after the first acknowledgment of data 5 to 11 packets leave."),
    why=(
        "The window of 30 packets is 7.5 in a quarter. It is less when the first of ten acknowledgments "
        "arrive, and a pacer may send a few packets at once."
    ),
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets", TRIPLING),
)
