"""The start doubles the rate."""

import math
from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import changes, path
from ackclock.conformance.specifications.vivace.rates import RATE, STARTING
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The ratios of successive rates."""
    _, rates = changes(trace, RATE, 1, of=STARTING)
    rates = rates[np.isfinite(rates) & (rates > 0)]
    ratios = rates[1:] / rates[:-1]
    yield Verdict.within("doublings", len(ratios), 4, math.inf)
    yield Verdict.within("ratio farthest from two", float(ratios[np.abs(ratios - 2).argmax()]), 1.999, 2.001)


CASE = Case(
    number=1,
    section="the paper, 4",
    title="The start doubles the rate",
    statement="The sender begins slowly and doubles its rate until the utility falls for the first time.",
    scenario=path("100 Mbit/s", 60, 6),
    rule="The rates of the start are each twice the one before, four or more of them.",
    why="The gauge is the rate that is decided about.",
    observe=observe,
    shown=(STARTING, RATE),
)
