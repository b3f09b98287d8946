"""Eras that the application limits do not end Initial."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    INITIAL,
    RATE,
    STATE,
    path,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The share of the run in the initial state."""
    states = trace.gauge(STATE)
    share = float((states[np.isfinite(states)] == INITIAL).mean())
    yield Verdict.within("share of the time in Initial", share, 0.999, 1.0)


CASE = Case(
    number=3,
    section="draft-huitema-ccwg-c4-spec, Initial state",
    title="Eras that the application limits do not end Initial",
    statement="The count of eras without increase omits those in which the application limits the sender.",
    scenario=path("20 Mbit/s", 80, 4, flow={"write_rate": "1 Mbit/s"}),
    rule="The flow is in the initial state for all of the 4 s, some fifty round trips.",
    why=(
        "The application writes a twentieth of the rate of the link, so that no era is without a limit and "
        "no queue arises."
    ),
    observe=observe,
    shown=(STATE, RATE),
)
