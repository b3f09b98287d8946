"""The starting state doubles the rate."""

import math
from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import (
    RATE,
    STARTING,
    STATE,
    changes,
    path,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The first rate, and the ratios of successive ones."""
    _, rates = changes(trace, RATE, STARTING)
    rates = rates[np.isfinite(rates) & (rates > 0)]
    yield Verdict.within("first rate in packets per round trip", float(rates[0]) * trace.path_rtt_s, 1.8, 2.1)
    ratios = rates[1:] / rates[:-1]
    yield Verdict.within("doublings", len(ratios), 4, math.inf)
    yield Verdict.within("ratio farthest from two", float(ratios[np.abs(ratios - 2).argmax()]), 1.999, 2.001)


CASE = Case(
    number=1,
    section="the paper, 3.2",
    title="The starting state doubles the rate",
    statement=(
        "The sender begins with two packets in a round trip and doubles its rate with each monitor interval."
    ),
    scenario=path("100 Mbit/s", 60, 4),
    rule=(
        "The first rate is 1.8 to 2.1 packets in a round trip, and each further one of the state twice the "
        "one before."
    ),
    why="The first round trip is that of the handshake, whose packets are shorter.",
    observe=observe,
    shown=(STATE, RATE),
)
