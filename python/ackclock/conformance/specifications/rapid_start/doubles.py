"""With a queue the window doubles."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rapid_start.phases import TRIPLING, growth_after_step, longer
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth on the longer path."""
    yield from growth_after_step(trace, 1.8, 2.1)


CASE = Case(
    number=2,
    section="draft-kazuho-ccwg-rapid-start-02, 3.2",
    title="With a queue the window doubles",
    statement=("Where the smallest round trip of the latest is longer, each packet acknowledged adds one."),
    scenario=longer(100, 20),
    rule=("In two round trips that are 20 % longer the window grows to 1.8 to 2.1 of its value in each."),
    why=("No queue builds, so that a path that is longer stands for one. Acknowledgments come in bursts."),
    observe=observe,
    shown=("cwnd_packets", TRIPLING, "rtt_s"),
)
