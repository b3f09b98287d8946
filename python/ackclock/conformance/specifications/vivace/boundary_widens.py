"""Cuts in a row widen the boundary."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import path
from ackclock.conformance.specifications.paths import stepped
from ackclock.conformance.specifications.vivace.rates import BOUNDARY, RATE, STEPS
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The widest boundary after the rise."""
    yield Verdict.within("widest boundary", float(trace.during(BOUNDARY, 8.0, 20.0).max()), 0.25, 5.0)


CASE = Case(
    number=4,
    section="the paper, 4.2",
    title="Cuts in a row widen the boundary",
    statement=(
        "After k cuts in a row the boundary is 5 % and k times 10 %, so that a rate far below the link's "
        "grows faster and faster."
    ),
    scenario=path(stepped("10 Mbit/s", (8.0, "100 Mbit/s")), 40, 20, buffer="500 packets"),
    rule=(
        "Within 12 s after the rate of the link has risen to ten times, the boundary reaches 25 % or more."
    ),
    why=(
        "At 10 Mbit/s the gradient of the rate's utility, 0.7 for each Mbit/s, is a step of 7 % times the "
        "confidence amplifier: all are cut at first, while no queue is there."
    ),
    observe=observe,
    shown=(RATE, BOUNDARY, STEPS),
)
