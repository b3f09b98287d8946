"""The growth does not depend on the round trip."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.cubic.curve import Curve, long_path
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window at K and at half of it."""
    curve = Curve(trace)
    yield Verdict.within("share of the reduction regained at K", curve.regained(trace, 1.0), 0.97, 1.03)
    yield Verdict.within("share of the reduction regained at K / 2", curve.regained(trace, 0.5), 0.83, 0.92)


CASE = Case(
    number=5,
    section="RFC 9438, 4.1 and 4.2",
    title="The growth follows time, and not round trips",
    statement="With 2.5 times as many round trips in a second the window takes the same time to the plateau.",
    scenario=long_path(40, 9, 3000),
    rule=(
        "With round trips of 40 ms: at K 0.97 to 1.03, at half of K 0.83 to 0.92 of the reduction is "
        "regained."
    ),
    why="As with 100 ms. The Reno-friendly estimate stays below the curve at this window.",
    observe=observe,
    shown=("cwnd_packets",),
)
