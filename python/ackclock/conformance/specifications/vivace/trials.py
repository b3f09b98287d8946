"""Trials are sent 5 % faster and slower."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import path
from ackclock.conformance.specifications.paths import FORWARD
from ackclock.conformance.specifications.vivace.rates import RATE, STEPS
from ackclock.conformance.trace import NotSeenError, Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The rates of sending in those decided about."""
    times = trace.sent.time_s[trace.sent.time_s > 5.0]
    span = 0.5 * trace.path_rtt_s
    ratios = []
    for begin in np.arange(5.0, 19.5, span).tolist():
        rates = trace.during(RATE, begin - 0.003, begin + span)
        if (rates == rates[0]).all():
            ratios.append(float(((times >= begin) & (times < begin + span)).sum()) / span / float(rates[0]))
    if len(ratios) < 20:
        raise NotSeenError("kept a rate for long")
    yield Verdict.within("slowest trial", min(ratios), 0.93, 0.97)
    yield Verdict.within("fastest trial", max(ratios), 1.03, 1.07)


CASE = Case(
    number=5,
    section="the paper, 4.1 and 4.2",
    title="Trials are sent 5 % faster and slower",
    statement=(
        "The gradient comes from two intervals at the rate times 1.05 and times 0.95, in random order."
    ),
    scenario=path("100 Mbit/s", 60, 20, watch=FORWARD),
    rule=(
        "From 5 s on, over spans of half a round trip without a step, the rate at which packets leave is "
        "0.93 to 1.07 of the rate decided about, and both more than 3 % faster and slower occur."
    ),
    why=(
        "Half a round trip has some 250 packets, of which one is 0.4 %. A span may lie across the end of a "
        "trial."
    ),
    observe=observe,
    shown=(RATE, STEPS),
)
