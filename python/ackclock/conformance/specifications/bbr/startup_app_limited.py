"""Startup lasts while the application limits the rate."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.bbr.states import FULL_ROUNDS, NAMES, PROBE_RTT, STARTUP, STATE
from ackclock.conformance.specifications.paths import client, one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """All states of the run."""
    states = trace.gauge(STATE)
    found = np.unique(states[np.isfinite(states)]).astype(int)
    words = ", ".join(NAMES[state] for state in found)
    holds = set(found.tolist()) <= {STARTUP, PROBE_RTT}
    yield Verdict.decided("states", words, "Startup, and ProbeRTT from it", holds)
    yield Verdict.same("packets sent again", trace.retransmitted(0, float(trace.time_s[-1])), 0)
    counted = int(np.nanmax(trace.gauge(FULL_ROUNDS)))
    yield Verdict.within("rounds counted without growth", counted, -float("inf"), 2)


CASE = Case(
    number=7,
    section=(
        'appendix, "Never Exiting PROBE_UP (or STARTUP) When Application-Limited With No Loss"; 5.3.1.2'
    ),
    title="Startup lasts while the application limits the rate",
    statement=(
        "Rounds that the application limits say nothing about the path, so that without losses they never "
        "end Startup."
    ),
    scenario=one_flow(
        "10 Mbit/s",
        40,
        12,
        flow=client({"constant": "8 packets"}, "1 ms"),
    ),
    rule=(
        "In 12 s, some 280 responses of 8 packets, no state but Startup and ProbeRTT, nothing sent again, "
        "and fewer than three rounds counted without growth."
    ),
    why="The initial window holds a whole response, so that every sample is limited by the application.",
    observe=observe,
    shown=(STATE, "in_flight_packets", FULL_ROUNDS),
)
