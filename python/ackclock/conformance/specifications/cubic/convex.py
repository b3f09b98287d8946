"""The growth quickens beyond the plateau."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.cubic.curve import LONG, Curve
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window at one and a half K."""
    curve = Curve(trace)
    yield Verdict.within("share of the reduction regained at 1.5 K", curve.regained(trace, 1.5), 1.08, 1.2)


CASE = Case(
    number=4,
    section="RFC 9438, 4.5",
    title="Beyond the plateau the growth is convex",
    statement=(
        "After the plateau the window leaves it as it came: half of K later it is an eighth of the "
        "reduction above."
    ),
    scenario=LONG,
    rule="At 1.5 K the window is 0.08 to 0.2 of the reduction above the plateau.",
    why="As in the concave region: a round trip more or less is 0.03.",
    observe=observe,
    shown=("cwnd_packets",),
)
