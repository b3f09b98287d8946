"""A loss ends slow start too."""

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.search.phases import DRAINING
from ackclock.conformance.specifications.windows import lost, slow_start_is_over

CASE = Case(
    number=8,
    section="draft-chung-ccwg-search-09, 1; RFC 5681, 3.1",
    title="A loss ends slow start too",
    statement=("SEARCH adds a way out of slow start: a packet that is lost before ends it as ever."),
    scenario=one_flow(
        "200 Mbit/s", 100, 2, buffer="9000 packets", tcp={"segments_per_ack": 1}, loss=lost(400)
    ),
    rule=(
        "From three and a half round trips after the loss the window grows by at most 6 packets in each of "
        "five."
    ),
    why="Slow start would add hundreds of packets in a round trip.",
    observe=slow_start_is_over,
    shown=("cwnd_packets", "ssthresh_packets", DRAINING),
)
