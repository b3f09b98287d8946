"""The loss of a retransmission lowers the threshold twice."""

from collections.abc import Iterator
from dataclasses import replace

from ackclock.conformance.specifications.rack.two_indications import CASE as TWO
from ackclock.conformance.specifications.windows import falls, first_loss_s
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The thresholds after the loss."""
    begin = first_loss_s(trace)
    thresholds = trace.during("ssthresh_packets", begin, begin + 3.0)
    yield Verdict.same("reductions of the threshold", falls(thresholds), 2)


CASE = replace(
    TWO,
    number=15,
    section="RFC 5681, 4.3",
    title="The loss of a retransmission lowers the threshold twice",
    statement=(
        "The loss of a retransmission is a second indication of congestion, whether it is found by time or "
        "by the timer."
    ),
    rule="In three seconds after the loss the threshold falls twice.",
    why="Without detection by time the timer of a second finds it.",
    observe=observe,
)
