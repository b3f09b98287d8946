"""The growth slows towards the plateau."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.cubic.curve import LONG, Curve
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window at a half of K."""
    curve = Curve(trace)
    yield Verdict.within("share of the reduction regained at K / 2", curve.regained(trace, 0.5), 0.83, 0.92)


CASE = Case(
    number=3,
    section="RFC 9438, 4.4",
    title="Below the plateau the growth is concave",
    statement="Half of the time brings back seven eighths of the reduction: the cube of a half is an eighth.",
    scenario=LONG,
    rule="At half of K the window has regained 0.83 to 0.92 of the reduction.",
    why=(
        "Growth begins up to a round trip later than K is counted from, and looks a round trip ahead: 100 "
        "ms of 6 s, where the slope is a quarter of the reduction in a second."
    ),
    observe=observe,
    shown=("cwnd_packets",),
)
