"""Trials differ by 1 to 5 %."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import (
    DECIDING,
    EPSILON,
    STATE,
    path,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The values and the steps of epsilon."""
    values = trace.gauge(EPSILON)[trace.gauge(STATE) == DECIDING] * 100
    whole = np.abs(values - np.round(values))
    yield Verdict.within("largest distance from a whole hundredth", float(whole.max()), 0.0, 0.001)
    yield Verdict.within("smallest epsilon in hundredths", float(values.min()), 0.999, 1.001)
    yield Verdict.within("largest epsilon in hundredths", float(values.max()), 1.999, 5.001)
    steps = np.round(np.diff(np.round(values)))
    odd = [
        step
        for step, after in zip(steps, np.round(values[1:]), strict=True)
        if step not in (0, 1) and after != 1
    ]
    yield Verdict.same("other steps", len(odd), 0)


CASE = Case(
    number=4,
    section="the paper, 3.2",
    title="Trials differ by 1 to 5 %",
    statement=(
        "Decisions begin with an epsilon of 0.01. Where the trials disagree it grows by 0.01, to 0.05 at "
        "most, and a decision sets it back."
    ),
    scenario=path("20 Mbit/s", 48, 30, loss={"bernoulli": 0.03}),
    rule=(
        "Epsilon is a whole number of hundredths from 1 to 5 in each sample, it reaches two or more, each "
        "step up is one hundredth, and each other one goes back to one."
    ),
    why="The numbers are the paper's. Losses of 3 % by chance make trials disagree.",
    observe=observe,
    shown=(STATE, EPSILON),
)
