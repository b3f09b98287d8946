"""Only congestion lowers the nominal rate."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    RATE,
    RECOVERY,
    STATE,
    path,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The states in which the nominal rate falls."""
    rate, states = trace.gauge(RATE), trace.gauge(STATE)
    falls = np.flatnonzero(rate[1:] < rate[:-1]) + 1
    other = sum(RECOVERY not in states[place : place + 5] for place in falls.tolist())
    yield Verdict.same("falls of the nominal rate outside of Recovery", other, 0)


CASE = Case(
    number=26,
    section="draft-huitema-ccwg-c4-spec, Nominal rate",
    title="Only congestion lowers the nominal rate",
    statement=(
        "Measurements of the rate only increase the nominal rate; it falls as Recovery begins after "
        "congestion, and at no other time."
    ),
    scenario=path("20 Mbit/s", 80, 12, buffer="100 packets"),
    rule=(
        "In each fall of the nominal rate between two samples the flow is in Recovery, 5 ms later at the "
        "latest."
    ),
    why="A sample each millisecond shows the state as it was last observed.",
    observe=observe,
    shown=(STATE, RATE),
)
