"""The starting state ends with the rate before the fall."""

import math
from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import (
    DECIDING,
    RATE,
    STARTING,
    STATE,
    changes,
    path,
)
from ackclock.conformance.trace import NotSeenError, Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The first rate to decide on."""
    _, rates = changes(trace, RATE, STARTING)
    _, decided = changes(trace, RATE, DECIDING)
    if not decided.size:
        raise NotSeenError("decided")
    steps = math.log2(float(np.nanmax(rates)) / float(decided[0]))
    yield Verdict.near("doublings that are taken back", steps, min(max(round(steps), 1), 3), 0.01)
    link = trace.rate_packets_per_s(1.0)
    yield Verdict.within("first rate to decide on in rates of the link", float(decided[0]) / link, 0.2, 1.02)


CASE = Case(
    number=3,
    section="the paper, 3.2",
    title="The starting state ends with the rate before the fall",
    statement=(
        "When the utility of an interval is below that of the one before, the sender goes back to the rate "
        "before, and decides."
    ),
    scenario=path("100 Mbit/s", 60, 6),
    rule=(
        "The largest rate of the starting state is 2, 4 or 8 times the first rate to decide on, and this "
        "is at most the rate of the link."
    ),
    why=(
        "The results of an interval are known a round trip after its end, when the next one or two have "
        "begun at doubled rates."
    ),
    observe=observe,
    shown=(STATE, RATE),
)
