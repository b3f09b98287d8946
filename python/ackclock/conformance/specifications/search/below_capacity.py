"""Below the capacity slow start goes on."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.search.phases import DRAINING, EMPTY
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window after six round trips with data."""
    window = trace.at("cwnd_packets", 7.9 * trace.path_rtt_s)
    yield Verdict.within("window after six round trips in packets", window, 550, 641)


CASE = Case(
    number=2,
    section="draft-chung-ccwg-search-09, 3.1",
    title="Below the capacity slow start goes on",
    statement=(
        "While all that was sent is delivered a round trip later, the window doubles in each of them."
    ),
    scenario=EMPTY,
    rule="After six round trips with data the window is 550 to 641 packets.",
    why="Ten packets double six times to 640; a burst of 640 takes 8 ms at this rate.",
    observe=observe,
    shown=("cwnd_packets", DRAINING, "rtt_s"),
)
