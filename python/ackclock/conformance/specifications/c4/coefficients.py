"""Each state has its coefficient."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    ALONE,
    ALPHA,
    CRUISING,
    INITIAL,
    PUSHING,
    RECOVERY,
    STATE,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

KNOWN = {INITIAL: (2.0,), RECOVERY: (15 / 16,), CRUISING: (1.0,), PUSHING: (33 / 32, 17 / 16, 5 / 4)}


def observe(trace: Trace) -> Iterator[Verdict]:
    """Alpha in the middle of each phase."""
    for phase in trace.phases(STATE):
        alpha = trace.at(ALPHA, (phase.begin_s + phase.end_s) / 2)
        nearest = min(KNOWN[phase.value], key=lambda value: abs(value - alpha))
        yield Verdict.near(f"alpha in state {phase.value}", alpha, nearest, 1e-6)


CASE = Case(
    number=6,
    section="draft-huitema-ccwg-c4-spec, Setting pacing rate, congestion window and quantum",
    title="Each state has its coefficient",
    statement=(
        "Alpha is 2 in the initial state, 15/16 in Recovery, 1 in Cruising, and 17/16 or 5/4 in Pushing. "
        "From the version of February 2026 on it is 33/32 too."
    ),
    scenario=ALONE,
    rule="Alpha has these values in each sample of the run.",
    why="The numbers are the draft's.",
    observe=observe,
    shown=(STATE, ALPHA),
)
