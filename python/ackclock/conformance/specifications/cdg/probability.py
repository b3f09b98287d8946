"""The probability of a back-off grows with the gradient."""

import math
from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.cdg.backoffs import (
    BUFFER_PACKETS,
    GRADIENT,
    backoffs_s,
)
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace, first
from ackclock.measures.verdict import Verdict

G_S = 0.003
WINDOW = 8


def observe(trace: Trace) -> Iterator[Verdict]:
    """The back-offs in expected ones."""
    times = backoffs_s(trace)
    gradient, rtt_s = trace.gauge(GRADIENT), trace.series("rtt_s")
    last = np.append(-math.inf, times)[np.searchsorted(times, trace.time_s)]
    draws = (trace.time_s - last > 2 * rtt_s) & (gradient > 0)
    chance = 1 - np.exp(-gradient[draws] / (WINDOW * G_S))
    expected = float((chance * 0.001 / rtt_s[draws]).sum())
    first(times, "backed off")
    yield Verdict.within("back-offs in expected ones", len(times) / expected, 0.75, 1.25)


CASE = Case(
    number=7,
    section="the paper, 3.1, equation 3",
    title="The probability of a back-off is 1 - exp(-g/G)",
    statement=(
        "A flow whose round trips grow by g in each backs off with the probability 1 - exp(-g/G), with G "
        "of 3 ms. Back-offs are drawn once in a round trip."
    ),
    scenario=one_flow("20 Mbit/s", 60, 240, buffer=f"{BUFFER_PACKETS} packets", tcp={"segments_per_ack": 1}),
    rule=(
        "In 240 s the back-offs are 0.75 to 1.25 times the sum of these probabilities over the round trips "
        "with a positive gradient, but for the two after each back-off."
    ),
    why=(
        "The module sums the changes of eight round trips, and its factor of 42 per second is 1/(8 G). "
        "Some hundred back-offs have a standard deviation of a tenth."
    ),
    observe=observe,
    shown=("cwnd_packets", GRADIENT),
)
