"""Partial deflation leaves about a threshold outstanding."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.newreno.losses import THREE, sent_again
from ackclock.conformance.trace import Trace, first
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The largest number of packets that leave in a round trip after recovery."""
    last = first(sent_again(trace)[-1:], "a packet that is sent again")
    threshold = trace.at("ssthresh_packets", last)
    begin = last + 1.0 * trace.path_rtt_s
    departed = int(((trace.sent.time_s > begin) & (trace.sent.time_s <= begin + trace.path_rtt_s)).sum())
    yield Verdict.within(
        "packets in the round trip after recovery, in thresholds", departed / threshold, 0.7, 1.25
    )


CASE = Case(
    number=4,
    section="RFC 6582, 3.2, step 3 (partial window deflation)",
    title="Partial deflation leaves about a threshold outstanding",
    statement=(
        "A partial acknowledgment takes the data that it acknowledges off the window and adds a segment, so "
        "that about a threshold of data is outstanding when recovery ends, and no burst follows."
    ),
    scenario=THREE,
    rule="In the round trip after recovery 0.7 to 1.25 thresholds of packets leave.",
    why="The threshold is some 23 packets; recovery ends with an acknowledgment of many.",
    observe=observe,
    shown=("in_flight_packets", "cwnd_packets", "ssthresh_packets"),
)
