"""Pushing lasts a round trip, and Recovery follows."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    ALONE,
    ALPHA,
    PUSHING,
    RECOVERY,
    STATE,
    repaired,
    round_trips,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The lengths of the phases, and what follows."""
    for phase in repaired(trace, PUSHING):
        lasted = round_trips(trace, phase.begin_s, phase.end_s)
        yield Verdict.within("round trips in Pushing", lasted, 0.1, 1.5)
        yield Verdict.same("state after Pushing", int(trace.at(STATE, phase.end_s)), RECOVERY)


CASE = Case(
    number=12,
    section="draft-huitema-ccwg-c4-spec, Pushing state",
    title="Pushing lasts a round trip, and Recovery follows",
    statement="The flow pushes for one era, or until a signal of congestion comes, and enters Recovery.",
    scenario=ALONE,
    rule="From 2 s on each phase of Pushing lasts at most 1.5 round trips, and Recovery follows.",
    why="As in Recovery.",
    observe=observe,
    shown=(STATE, ALPHA, "rtt_s"),
)
