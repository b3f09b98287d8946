"""The first two duplicates send new segments."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.newreno.losses import losing_packets
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

LOST = 600


def observe(trace: Trace) -> Iterator[Verdict]:
    """The highest packet at the loss, and when it is sent again."""
    again, number = trace.sent.first_again()
    lost = trace.sent.times(number)[0]
    before_s = lost + 0.98 * trace.path_rtt_s
    new = (trace.sent.time_s > before_s) & (trace.sent.time_s <= again) & ~trace.sent.is_again
    acknowledged = ((trace.acknowledged_s > before_s) & (trace.acknowledged_s <= again)).sum()
    allowed = int(new.sum()) - (int(acknowledged) - 3)
    yield Verdict.within("new packets that the duplicates sent", allowed, 2, 3)


CASE = Case(
    number=12,
    section="RFC 5681, 3.2, step 1; RFC 3042, 2",
    title="The first two duplicates send new segments",
    statement="Each of the first two duplicate acknowledgments sends a segment of new data.",
    scenario=losing_packets(LOST),
    rule=(
        "Of the packets between a round trip after the loss and the retransmission, two or three are more "
        "than what the acknowledgments of new data allow."
    ),
    why="Congestion avoidance adds a packet in a round trip, which may fall into the time.",
    observe=observe,
    shown=("in_flight_packets", "retransmissions"),
)
