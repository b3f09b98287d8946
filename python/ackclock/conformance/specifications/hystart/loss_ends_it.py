"""A loss ends slow start before the round trip does."""

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.hystart.phases import CONSERVATIVE
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.windows import lost, slow_start_is_over

CASE = Case(
    number=11,
    section="RFC 9406, 4.2",
    title="A loss ends slow start",
    statement=(
        "A loss or a mark in either phase of slow start sets the threshold, and congestion avoidance follows."
    ),
    scenario=one_flow(
        "900 Mbit/s", 100, 3, buffer="9000 packets", tcp={"segments_per_ack": 1}, loss=lost(400)
    ),
    rule=(
        "From three and a half round trips after the loss the window grows by at most 6 packets in each of "
        "five."
    ),
    why="Slow start would add hundreds of packets in a round trip; CUBIC adds some right after a reduction.",
    observe=slow_start_is_over,
    shown=("cwnd_packets", "ssthresh_packets", CONSERVATIVE),
)
