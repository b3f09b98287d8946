"""The third duplicate sends the missing segment again."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import FORWARD, one_flow
from ackclock.conformance.specifications.windows import lost
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

LOST = 400


def observe(trace: Trace) -> Iterator[Verdict]:
    """The packets whose acknowledgments come between the loss and its retransmission."""
    departures = trace.sent.times(LOST - 1)
    if len(departures) < 2:
        yield Verdict.within("departures of the lost packet", len(departures), 2, 2)
        return
    arrived = trace.watched(2)
    after = (arrived.number > LOST - 1) & (arrived.time_s < departures[1] - trace.path_rtt_s / 2)
    yield Verdict.within("packets that arrived before it was sent again", int(after.sum()), 3, 4)


CASE = Case(
    number=10,
    section="RFC 5681, 3.2, steps 2 and 3",
    title="The third duplicate sends the missing segment again",
    statement=(
        "The third duplicate acknowledgment, and no earlier one, sends the missing segment again at once."
    ),
    scenario=one_flow(
        "4 Mbit/s",
        100,
        6,
        buffer="1000 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": "30 packets"},
        watch=(*FORWARD, "left->right"),
        loss=lost(LOST),
    ),
    rule="Three or four packets after the lost one arrived half a round trip before it was sent again.",
    why=(
        "A packet takes 3 ms on the link and the way back half a round trip of 90 to 110 ms, which the "
        "smallest round trip of the run gives within a packet."
    ),
    observe=observe,
    shown=("cwnd_packets", "retransmissions"),
)
