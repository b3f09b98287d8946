"""A round trip that is a little longer is no queue."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rapid_start.phases import TRIPLING, growth_after_step, longer
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth on the longer path."""
    yield from growth_after_step(trace, 2.7, 3.1)


CASE = Case(
    number=5,
    section="draft-kazuho-ccwg-rapid-start-02, 3.2",
    title="A round trip that is a little longer is no queue",
    statement=("A round trip no more than 4 ms and 10 % above the smallest leaves the growth as it is."),
    scenario=longer(100, 3),
    rule=(
        "In two round trips of 103 ms in place of 100 the window grows to 2.7 to 3.1 of its value in each."
    ),
    why="Without queues a round trip of data triples the window.",
    observe=observe,
    shown=("cwnd_packets", TRIPLING, "rtt_s"),
)
