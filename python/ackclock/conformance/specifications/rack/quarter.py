"""The reordering window begins with a quarter of the smallest round trip."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rack.departures import file_of
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

PACKETS = 70


def observe(trace: Trace) -> Iterator[Verdict]:
    """The time from the last acknowledgment to the packet that is sent again."""
    again, _ = trace.sent.first_again()
    wait = again - trace.acknowledged_before(again)
    yield Verdict.within("wait in smallest round trips", wait / trace.path_rtt_s, 0.24, 0.3)


CASE = Case(
    number=2,
    section="RFC 8985, 6.2, step 4 (RACK_update_reo_wnd)",
    title="The reordering window begins with a quarter of the smallest round trip",
    statement=(
        "Before reordering was seen, and with fewer than three segments selectively acknowledged, a loss is "
        "found a quarter of the smallest round trip after the acknowledgment that hints at it, whatever the "
        "queue is then."
    ),
    scenario=file_of(PACKETS, PACKETS - 1, rate="5 Mbit/s"),
    rule="From the last acknowledgment to the retransmission pass 0.24 to 0.3 smallest round trips.",
    why=(
        "The queue adds half a round trip to the last flight, so that an eighth of a current round trip "
        "would be 0.19, and a quarter of it 0.37. The timer has a slack of 2 ms, and the departure is seen 1 "
        "ms late."
    ),
    observe=observe,
    shown=("rtt_s", "retransmissions"),
)
