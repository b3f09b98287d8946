"""Alone the flow stays in the default mode."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.copa.alone import ALONE, DELTA
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The share of the time with the default delta."""
    delta = trace.gauge(DELTA)[trace.time_s > 5]
    yield Verdict.within("share of the time with a delta of 0.5", float((delta == 0.5).mean()), 0.95, 1.0)


CASE = Case(
    number=2,
    section="the paper, 2.2",
    title="Alone the flow stays in the default mode",
    statement=(
        "A queue that empties once in five round trips shows that nobody fills the buffer, and delta "
        "stays at 0.5."
    ),
    scenario=ALONE,
    rule="From 5 s on delta is 0.5 for 95 % of the time.",
    why="A cycle that takes a little longer than five round trips may be taken for a competitor once.",
    observe=observe,
    shown=(DELTA, "cwnd_packets"),
)
