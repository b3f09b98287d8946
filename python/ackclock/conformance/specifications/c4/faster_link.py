"""Three successes begin the initial state again."""

import math
from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    INITIAL,
    LEVEL,
    RATE,
    STATE,
    path,
)
from ackclock.conformance.specifications.paths import stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

STEP_S = 6.0


def observe(trace: Trace) -> Iterator[Verdict]:
    """The time until the initial state begins again."""
    again = [each.begin_s for each in trace.phases(STATE) if each.value == INITIAL and each.begin_s > STEP_S]
    took = again[0] - STEP_S if again else math.inf
    yield Verdict.within("time from the rise to the initial state in seconds", took, 0.0, 3.0)


CASE = Case(
    number=15,
    section="draft-huitema-ccwg-c4-spec, Recovery state",
    title="Three pushes with success begin the initial state again",
    statement=(
        "Pushes that bring increases become larger, and after three of them in a row the flow enters the "
        "initial state again."
    ),
    scenario=path(stepped("5 Mbit/s", (6.0, "50 Mbit/s")), 80, 12, buffer="300 packets"),
    rule="The initial state begins again within 3 s after the rate of the link has risen to ten times.",
    why=(
        "Three cycles of cruising, a push and a recovery take 18 round trips of 80 ms. A cycle may have "
        "begun before the rise, and one more may pass until the samples show it."
    ),
    observe=observe,
    shown=(STATE, RATE, LEVEL),
)
