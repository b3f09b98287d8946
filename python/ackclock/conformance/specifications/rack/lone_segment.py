"""A lone segment waits for a delayed acknowledgment at most."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rack.departures import file_of
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

PACKETS = 31
DELAY_S = 0.2


def observe(trace: Trace) -> Iterator[Verdict]:
    """The wait of the probe."""
    again, _ = trace.sent.first_again()
    wait = again - trace.acknowledged_before(again)
    trip = trace.path_rtt_s
    yield Verdict.within("wait of the probe in seconds", wait, 1.95 * trip, 2.2 * trip + DELAY_S)


CASE = Case(
    number=14,
    section="RFC 8985, 7.2 (TLP_calc_PTO)",
    title="A lone segment waits for a delayed acknowledgment at most",
    statement=(
        "Where one segment is outstanding, the receiver's delay of acknowledgments may be added to the two "
        "round trips, and no more."
    ),
    scenario=file_of(PACKETS, PACKETS, segments_per_ack=2, ack_delay="200 ms"),
    rule=(
        "The last packet, alone and lost, is sent again 1.95 to 2.2 round trips after the last "
        "acknowledgment, and at most 200 ms later."
    ),
    why="The receiver delays by 200 ms at most. The least timeout, a second, would be longer.",
    observe=observe,
    shown=("in_flight_packets", "retransmissions"),
)
