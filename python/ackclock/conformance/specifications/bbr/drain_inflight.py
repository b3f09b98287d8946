"""Drain ends when the packets in flight fit into the pipe."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.bbr.states import (
    CRUISE,
    DOWN,
    DRAIN,
    PACING_GAIN,
    ROUND,
    STATE,
    bdp_packets,
    followed_by,
    never_came,
    phases,
)
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The gain in Drain, its length, and the flight at its end."""
    ended = phases(trace, DRAIN)
    if not ended:
        yield never_came(DRAIN)
        return
    drain = ended[0]
    gains = np.unique(trace.during(PACING_GAIN, drain.begin_s, drain.end_s))
    yield Verdict.near("pacing gain in Drain", float(gains.max()), 0.5, 1e-9)
    yield followed_by(trace, drain, DOWN, CRUISE)
    target = bdp_packets(trace, drain.end_s)
    before = trace.at("in_flight_packets", drain.end_s - 0.004)
    after = trace.at("in_flight_packets", drain.end_s)
    yield Verdict.within("flight at the end of Drain, less the estimated BDP", after - target, -3.0, 2.0)
    yield Verdict.within("flight 4 ms before, less the estimated BDP", before - target, -1.0, np.inf)
    rounds = int(trace.at(ROUND, drain.end_s) - trace.at(ROUND, drain.begin_s))
    yield Verdict.within("rounds in Drain", rounds, 0, 3)


CASE = Case(
    number=3,
    section='appendix, "Exiting DRAIN Based on Inflight"; 5.3.2',
    title="Drain ends when the queue is gone",
    statement=(
        "In Drain the flow paces at half of the bandwidth, and goes to ProbeBW as soon as no more is in "
        "flight than the estimated bandwidth-delay product."
    ),
    scenario=one_flow("10 Mbit/s", 40, 4),
    rule=(
        "The pacing gain is 0.5; at the end of Drain the flight is at most 2 packets above the estimate "
        "and at most 3 below, and 4 ms earlier not below it by more than one; Drain lasts at most 3 "
        "rounds."
    ),
    why=(
        "An acknowledgment covers two packets, and the series has a sample each millisecond; the link "
        "carries a packet in 1.2 ms."
    ),
    observe=observe,
    shown=(STATE, "in_flight_packets", PACING_GAIN),
)
