"""A lost tail is probed after two round trips."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rack.departures import file_of, of_the_last
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

PACKETS = 30


def observe(trace: Trace) -> Iterator[Verdict]:
    """The packet that is sent again, and its wait."""
    yield from of_the_last(trace, PACKETS)
    again, _ = trace.sent.first_again()
    wait = again - trace.acknowledged_before(again)
    yield Verdict.within("round trips from the last acknowledgment", wait / trace.path_rtt_s, 1.95, 2.2)


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
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets", "retransmissions"),
)
