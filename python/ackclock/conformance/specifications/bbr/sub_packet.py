"""A pipe of less than a packet."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.qlog import Log
from ackclock.conformance.specifications import logs
from ackclock.conformance.specifications.bbr.states import (
    BANDWIDTH,
    CRUISE,
    DOWN,
    REFILL,
    STATE,
    UP,
    never_came,
)
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

CYCLE = (DOWN, CRUISE, REFILL, UP)


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window, the estimate and the rate from the first ProbeBW on."""
    begun = [phase.begin_s for phase in trace.phases(STATE) if phase.value in CYCLE]
    if not begun or begun[0] > trace.time_s[-1] - 10:
        yield never_came(CRUISE)
        return
    yield from outside(trace)
    inside = np.isin(trace.gauge(STATE), CYCLE) & (trace.time_s > begun[0] + 5)
    rate = float(np.median(trace.gauge(BANDWIDTH)[inside])) / trace.rate_packets_per_s(begun[0])
    yield Verdict.near("median bandwidth in ProbeBW in rates of the link", rate, 1.0, 0.05)


def outside(trace: Trace) -> Iterator[Verdict]:
    """The window and the rate of the second half."""
    half = float(trace.time_s[-1]) / 2
    window = float(np.min(trace.during("cwnd_packets", half, float(trace.time_s[-1]))))
    yield Verdict.within("smallest window in packets", window, 4.0, float("inf"))
    rate = trace.goodput_packets_per_s(half, float(trace.time_s[-1])) / trace.rate_packets_per_s(half)
    yield Verdict.within("goodput in rates of the link", rate, 0.9, 1.03)


def on_log(log: Log) -> Iterator[Verdict]:
    """The smallest window."""
    yield from logs.least(log, 4.0)


CASE = Case(
    number=14,
    section='appendix, "Correctly Managing Sub-Packet BDPs"; 5.6.4.3',
    title="A pipe of less than a packet",
    statement=(
        "At 64 kbit/s and 40 ms the pipe holds a fifth of a packet. The window stays at four packets or "
        "more, which delayed acknowledgments need, and the pace matches the link."
    ),
    scenario=one_flow("64 kbit/s", 40, 90, buffer="20 packets", sample="20 ms"),
    rule=(
        "In the second half of 90 s the window is at least 4 packets, and the goodput at least 90 % of "
        "the link; in ProbeBW the median of the bandwidth is within 5 % of it. A log that reaches "
        "4.5 packets has a window of 4 at least."
    ),
    why=(
        "A probe takes some of the time, and a goodput over a span counts whole packets at its ends, of "
        "which there are five in a second."
    ),
    observe=observe,
    outside=outside,
    on_log=on_log,
    shown=(STATE, "cwnd_packets", BANDWIDTH),
)
