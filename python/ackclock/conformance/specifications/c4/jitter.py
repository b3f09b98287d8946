"""High jitter begins the initial state again."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    INITIAL,
    MAX_RTT,
    RECOVERY,
    STATE,
    path,
    whole_phases,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The states after the first two recoveries."""
    after = {int(trace.at(STATE, phase.end_s)) for phase in whole_phases(trace, RECOVERY)[:2]}
    yield Verdict.same("Initial follows one of two recoveries", INITIAL in after, True)


CASE = Case(
    number=16,
    section="draft-huitema-ccwg-c4-spec, Restarting Initial if High Jitter",
    title="High jitter begins the initial state again, once",
    statement=(
        "The first time that the running min RTT is below two fifths of the nominal max RTT at the end of "
        "a recovery, the flow enters the initial state again."
    ),
    scenario=path("20 Mbit/s", 20, 4, buffer="500 packets", impairments=["jitter(exponential=20 ms)"]),
    rule="The second Recovery at the latest leads to the initial state again.",
    why=(
        "The jitter has a mean of 20 ms, so that the largest of the hundred round trips of an era is some "
        "five times the path's. The first recovery measures no min RTT, since its packets were sent at two "
        "nominal rates."
    ),
    observe=observe,
    shown=(STATE, MAX_RTT, "rtt_s"),
)
