"""Next to a standard flow it keeps a share."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.cdg.backoffs import (
    INEFFECTIVE,
    SHADOW,
    with_another,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput next to a standard flow."""
    rate = trace.goodput_of_link(30.0, 90.0)
    yield Verdict.within("goodput with a standard flow in rates of the link", rate, 0.125, 0.875)


CASE = Case(
    number=11,
    section="the paper, abstract and 4",
    title="Next to a standard flow it keeps a share",
    statement="CDG coexists reasonably with standard TCP where few flows share a link.",
    scenario=with_another(90, start="5 s", algorithm="rack+reno"),
    rule=("From 30 s to 90 s the flow has 12.5 to 87.5 % of the link, a quarter of an equal share at least."),
    why="The source gives no number in words; a quarter of an equal share is ours.",
    observe=observe,
    shown=("cwnd_packets", SHADOW, INEFFECTIVE),
)
