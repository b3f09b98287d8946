"""Trials are sent a little faster and slower."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import (
    DECIDING,
    EPSILON,
    RATE,
    STATE,
    path,
)
from ackclock.conformance.specifications.paths import FORWARD
from ackclock.conformance.trace import NotSeenError, Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The rates of sending in those decided about."""
    times = trace.sent.time_s[trace.sent.time_s > 5.0]
    span = 0.5 * trace.path_rtt_s
    ratios = []
    for begin in np.arange(5.0, 19.5, span).tolist():
        states, rates = trace.during(STATE, begin, begin + span), trace.during(RATE, begin, begin + span)
        if (states == DECIDING).all() and (rates == rates[0]).all():
            count = int(((times >= begin) & (times < begin + span)).sum())
            ratios.append(count / span / float(rates[0]))
    if len(ratios) < 20:
        raise NotSeenError("decided for long")
    yield Verdict.within("slowest trial", min(ratios), 0.94, 0.995)
    yield Verdict.within("fastest trial", max(ratios), 1.005, 1.06)


CASE = Case(
    number=5,
    section="the paper, 3.2",
    title="Trials are sent faster and slower by epsilon",
    statement=(
        "In decision making the sender tries the rate times 1 + epsilon and 1 - epsilon, each twice and in "
        "random order."
    ),
    scenario=path("100 Mbit/s", 60, 20, watch=FORWARD),
    rule=(
        "From 5 s on, over spans of half a round trip in decision making, the rate at which packets leave "
        "is 0.94 to 1.06 of the rate decided about, and both more than 0.5 % faster and slower occur."
    ),
    why="Epsilon is 0.05 at most. Half a round trip has some 250 packets, of which one is 0.4 %.",
    observe=observe,
    shown=(STATE, RATE, EPSILON),
)
