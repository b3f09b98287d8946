"""A lost tail is probed after two round trips."""

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rack.departures import file_of, probes

PACKETS = 30


CASE = Case(
    number=8,
    section="RFC 8985, 7.2 (TLP_calc_PTO)",
    title="A lost tail is probed after two round trips",
    statement=(
        "Two smoothed round trips after the last acknowledgment a segment is sent that makes the receiver "
        "answer, long before the retransmission timer expires."
    ),
    scenario=file_of(PACKETS, PACKETS),
    rule="The last packet is sent again 1.95 to 2.2 round trips after the last acknowledgment.",
    why="The smoothed round trip is a little above the smallest one. Acknowledgments are not delayed.",
    observe=probes(PACKETS, 1.95, 2.2),
    shown=("cwnd_packets", "in_flight_packets", "retransmissions"),
)
