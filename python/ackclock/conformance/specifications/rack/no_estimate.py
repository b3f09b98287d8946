"""Without a measured round trip there is no probe."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rack.departures import file_of
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

PACKETS = 10


def observe(trace: Trace) -> Iterator[Verdict]:
    """The time from the last packet to the first that is sent again."""
    again, _ = trace.sent.first_again()
    before = trace.sent.time_s[trace.sent.time_s < again]
    yield Verdict.within("seconds until a packet is sent again", again - float(before[-1]), 3.98, 4.1)


CASE = Case(
    number=16,
    section="RFC 8985, 7.2 and 7.3, condition 2",
    title="Without a measured round trip there is no probe",
    statement=(
        "Where no round trip was measured a probe is due after a second, but it is skipped, and the "
        "retransmission timer begins anew."
    ),
    scenario=file_of(PACKETS, *range(1, PACKETS + 1), handshake=False, rto_initial="3 s", seconds=6),
    rule="The first packet is sent again 3.98 to 4.1 s after the last of the flight.",
    why=(
        "No handshake measures a round trip, and all of the first flight is lost. A second passes to the "
        "skipped probe, and three of the timer after it."
    ),
    observe=observe,
    needs_retransmission_timer=True,
    shown=("in_flight_packets", "retransmissions"),
)
