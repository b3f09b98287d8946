"""A lost retransmission is found by time."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rack.departures import TWICE_LOST, loses_it_again
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The departures of the packet that is lost twice."""
    _, number = trace.sent.first_again()
    departures = trace.sent.times(number)
    waited = (departures[2] - departures[1]) / trace.path_rtt_s if len(departures) > 2 else float("inf")
    yield Verdict.within("round trips from the second to the third departure", waited, 0.95, 1.6)


CASE = Case(
    number=5,
    section="RFC 8985, 3.1 and 3.4",
    title="A lost retransmission is found by time",
    statement=(
        "Retransmissions are treated as original transmissions are: if one sent later arrives, and the "
        "window has passed, the retransmission is lost and sent again, without a timeout."
    ),
    scenario=TWICE_LOST,
    then=loses_it_again,
    rule="The third departure comes 0.95 to 1.6 round trips after the second.",
    why="A round trip and a quarter pass at most; the retransmission timer has a second.",
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", "retransmissions"),
)
