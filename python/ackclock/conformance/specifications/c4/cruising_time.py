"""Cruising lasts four eras."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    ALONE,
    CRUISING,
    LEVEL,
    PUSHING,
    STATE,
    repaired,
    round_trips,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The lengths of the phases."""
    for phase in repaired(trace, CRUISING):
        follows = int(trace.at(STATE, phase.end_s))
        if follows == PUSHING and trace.at(LEVEL, phase.begin_s) < 3:
            lasted = round_trips(trace, phase.begin_s, phase.end_s)
            yield Verdict.within("round trips in Cruising", lasted, 3.9, 5.5)


CASE = Case(
    number=10,
    section="draft-huitema-ccwg-c4-spec, Cruising state",
    title="Cruising lasts four eras",
    statement=(
        "Without a signal of congestion the flow stays in Cruising for four eras, and then pushes. The "
        "version of February 2026 shortens this to one at the highest probe level."
    ),
    scenario=ALONE,
    rule=(
        "From 2 s on each phase of Cruising that Pushing follows, below the highest level, lasts 3.9 to "
        "5.5 round trips."
    ),
    why=(
        "An era ends with a sample of a packet sent in it, so that each takes up to a packet more than a "
        "round trip, and the first one waits for the pacer."
    ),
    observe=observe,
    shown=(STATE, "rtt_s"),
)
