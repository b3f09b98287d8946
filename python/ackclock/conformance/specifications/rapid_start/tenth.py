"""On a short path a tenth of the round trip is a queue."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rapid_start.phases import TRIPLING, growth_after_step, longer
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth on the longer path."""
    yield from growth_after_step(trace, 1.7, 2.2)


CASE = Case(
    number=3,
    section="draft-kazuho-ccwg-rapid-start-02, 3.2, queue_buildup_thresh",
    title="On a short path a tenth of the round trip is a queue",
    statement=("A queue is a round trip above 1.1 of the smallest, where that is less than 4 ms above it."),
    scenario=longer(20, 3),
    rule=("In two round trips of 23 ms in place of 20 the window grows to 1.7 to 2.2 of its value in each."),
    why=("3 ms are above a tenth of 20 ms and below 4 ms. The series has a sample in each millisecond."),
    observe=observe,
    shown=("cwnd_packets", TRIPLING, "rtt_s"),
)
