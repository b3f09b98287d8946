"""The first retransmission goes at once."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.prr.example import SINGLE
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The time after which the lost packet is sent again."""
    again, number = trace.sent.first_again()
    waited = (again - trace.sent.times(number)[0]) / trace.path_rtt_s
    yield Verdict.within("round trips until the lost packet is sent again", waited, 1.0, 1.12)


CASE = Case(
    number=2,
    section="RFC 9937, 6.2 (force a fast retransmit)",
    title="The first retransmission goes at once",
    statement="Upon entering recovery one segment is sent in any case, even where the sum allows none.",
    scenario=SINGLE,
    rule="The lost packet is sent again 1 to 1.12 round trips after it was sent.",
    why=(
        "Three duplicates come within 4 ms of the first; a wait for half of the flight would take 12 ms more."
    ),
    observe=observe,
    shown=("in_flight_packets", "retransmissions"),
)
