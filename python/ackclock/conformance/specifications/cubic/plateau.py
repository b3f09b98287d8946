"""The window returns to the plateau in a time that its size alone decides."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.cubic.curve import LONG, Curve
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window at K."""
    curve = Curve(trace)
    yield Verdict.within("share of the reduction regained at K", curve.regained(trace, 1.0), 0.97, 1.03)


CASE = Case(
    number=2,
    section="RFC 9438, 4.2, equations 1 and 2",
    title="The window is back at the plateau after K",
    statement="After a loss at W packets the window is back at W after the cube root of 0.3 W / 0.4 seconds.",
    scenario=LONG,
    rule="At K the window has regained 0.97 to 1.03 of the reduction.",
    why=(
        "The slope at the plateau is zero, so that a round trip of delay changes little. K is counted "
        "from two and a half round trips after the loss, where the growth begins."
    ),
    observe=observe,
    shown=("cwnd_packets",),
)
