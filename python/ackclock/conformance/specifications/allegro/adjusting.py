"""Rate adjusting takes growing steps."""

import math
from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import (
    ADJUSTING,
    RATE,
    STATE,
    path,
)
from ackclock.conformance.specifications.paths import stepped
from ackclock.conformance.trace import NotSeenError, Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The ratios of the rates in the longest row after the rise."""
    phases = [each for each in trace.phases(STATE) if each.value == ADJUSTING and each.begin_s > 8.0]
    if not phases:
        raise NotSeenError("adjusted its rate after the rise")
    longest = max(phases, key=lambda each: each.length_s)
    rates = trace.during(RATE, longest.begin_s, longest.end_s)
    rates = rates[np.append(True, rates[1:] != rates[:-1])]
    yield Verdict.within("rates in the longest row", len(rates), 5, math.inf)
    for number, ratio in enumerate((rates[1:] / rates[:-1]).tolist(), 2):
        yield Verdict.near(f"ratio {number}", ratio, 1 + 0.01 * number, 1e-6)


CASE = Case(
    number=6,
    section="the paper, 3.2",
    title="Rate adjusting takes growing steps in one direction",
    statement=(
        "In the n-th interval after a decision the rate changes by n times 0.01, in the direction decided "
        "on, until the utility falls."
    ),
    scenario=path(stepped("10 Mbit/s", (8.0, "80 Mbit/s")), 60, 20, buffer="300 packets"),
    rule=(
        "After the rate of the link has risen to eight times, the longest row of rate adjusting has five "
        "rates at least, and each is 1 + 0.01 n times the one before. The first that is seen has the step "
        "of n = 1 already, so that n begins with 2."
    ),
    why=(
        "The rate that was decided on had its interval in the trials, so that the state begins with the "
        "next one."
    ),
    observe=observe,
    shown=(STATE, RATE),
)
