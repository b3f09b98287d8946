"""After the drain congestion avoidance follows."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.search.phases import DRAINING, PIPE, exit_s
from ackclock.conformance.specifications.windows import growth_per_round_trip
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth in five round trips from the threshold on, and the queue after the first of them."""
    end = exit_s(trace)
    growth = growth_per_round_trip(trace, end, 5)
    yield Verdict.within("growth in packets per round trip", growth, 0.0, 6.0)
    longer = trace.at("rtt_s", end + 3 * trace.path_rtt_s) / trace.path_rtt_s
    yield Verdict.within("round trip three later, in those of the path", longer, 1.0, 1.25)


CASE = Case(
    number=5,
    section="draft-chung-ccwg-search-09, 3.2, the end of slow start",
    title="After the drain congestion avoidance follows",
    statement=("Once the queue is drained slow start is over: the window grows by congestion avoidance."),
    scenario=PIPE,
    rule=(
        "In five round trips from the first threshold on the window grows by 0 to 6 packets in each, and "
        "three of them later the round trip is at most 1.25 of the path's."
    ),
    why=(
        "Slow start would add hundreds of packets in a round trip. The window is a twentieth above what the "
        "path holds, and the queue of the drain's beginning has left within a round trip of the path."
    ),
    observe=observe,
    shown=("cwnd_packets", "rtt_s", DRAINING),
)
