"""A partial acknowledgment sends the next missing segment again."""

from collections.abc import Iterator
from itertools import pairwise

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.newreno.losses import THREE, sent_again
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The packets sent again, and the time between them."""
    times = sent_again(trace).tolist()
    yield Verdict.same("packets sent again", len(times), 3)
    for before, after in pairwise(times):
        trips = (after - before) / trace.path_rtt_s
        yield Verdict.within("round trips from one to the next", trips, 0.97, 1.15)


CASE = Case(
    number=1,
    section="RFC 6582, 3.2, step 3",
    title="A partial acknowledgment sends the next missing segment again",
    statement=(
        "An acknowledgment of new data that does not cover all that was outstanding when recovery began "
        "sends the first segment that it leaves again, so that each loss of a window takes a round trip."
    ),
    scenario=THREE,
    rule="Three packets are sent again, 0.97 to 1.15 round trips after each other.",
    why="The acknowledgment of a retransmission takes a round trip, and the queue is short.",
    observe=observe,
    shown=("cwnd_packets", "retransmissions"),
)
