"""A lost retransmission is a second indication of congestion."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rack.departures import TWICE_LOST, loses_it_again
from ackclock.conformance.specifications.windows import falls, first_loss_s
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The thresholds after the loss, and the smallest window."""
    begin = first_loss_s(trace)
    thresholds = trace.during("ssthresh_packets", begin, begin + 8 * trace.path_rtt_s)
    yield Verdict.same("reductions of the threshold", falls(thresholds), 2)


CASE = Case(
    number=6,
    section="RFC 8985, 3.4; RFC 5681, 4.3",
    title="A lost retransmission is a second indication of congestion",
    statement="The loss of a retransmission lowers the threshold once more.",
    scenario=TWICE_LOST,
    then=loses_it_again,
    rule="In eight round trips after the loss the threshold falls twice.",
    why="The first reduction and the second are a round trip apart, and the timer has a second.",
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", "retransmissions"),
)
