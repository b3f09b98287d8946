"""Without success pushes stay small."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    ALONE,
    ALPHA,
    LEVEL,
    PUSHING,
    STATE,
)
from ackclock.conformance.trace import NotSeenError, Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The largest alpha of the pushes."""
    pushes = (trace.gauge(STATE) == PUSHING) & (trace.time_s > 3.0)
    if not pushes.any():
        raise NotSeenError("pushed")
    yield Verdict.within("largest alpha of the pushes", float(trace.gauge(ALPHA)[pushes].max()), 1.0, 17 / 16)


CASE = Case(
    number=13,
    section="draft-huitema-ccwg-c4-spec, Pushing state",
    title="Without success pushes stay at 17/16",
    statement=(
        "A push is by 5/4 only if the one before was successful, and by 17/16 otherwise. At the full rate "
        "of a link no push succeeds."
    ),
    scenario=ALONE,
    rule="From 3 s to 12 s no push has an alpha above 17/16.",
    why="The rate of the link does not change, and the measured one stays at it.",
    observe=observe,
    shown=(STATE, ALPHA, LEVEL),
)
