"""On a long path four milliseconds are a queue."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rapid_start.phases import TRIPLING, growth_after_step, longer
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth on the longer path."""
    yield from growth_after_step(trace, 1.8, 2.1)


CASE = Case(
    number=4,
    section="draft-kazuho-ccwg-rapid-start-02, 3.2, queue_buildup_thresh",
    title="On a long path four milliseconds are a queue",
    statement=("A queue is a round trip more than 4 ms above the smallest, where that is less than a tenth."),
    scenario=longer(200, 8),
    rule=(
        "In two round trips of 208 ms in place of 200 the window grows to 1.8 to 2.1 of its value in each."
    ),
    why="8 ms are above 4 ms and below a tenth of 200 ms.",
    observe=observe,
    shown=("cwnd_packets", TRIPLING, "rtt_s"),
)
