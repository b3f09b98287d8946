"""ProbeRTT begins after five seconds and lasts 200 ms."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.bbr.states import (
    CRUISE,
    CWND_GAIN,
    DOWN,
    MIN_RTT,
    PROBE_RTT,
    STATE,
    followed_by,
    phases,
)
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """Each ProbeRTT of the run, and the time between two."""
    probes = phases(trace, PROBE_RTT)
    yield Verdict.within("ProbeRTTs in 17 s", len(probes), 2, 3)
    for probe in probes:
        yield followed_by(trace, probe, DOWN, CRUISE)
        gain = float(trace.during(CWND_GAIN, probe.begin_s, probe.end_s).max())
        yield Verdict.near("window gain in ProbeRTT", gain, 0.5, 1e-9)
        longest = 0.2 + 4 * trace.path_rtt_s
        yield Verdict.within("length of ProbeRTT in seconds", probe.length_s, 0.2, longest)
        flight = trace.during("in_flight_packets", probe.end_s - 0.1, probe.end_s)
        bdp = trace.at(MIN_RTT, probe.end_s) * trace.rate_packets_per_s(probe.end_s)
        yield Verdict.within("flight in ProbeRTT in BDPs", float(np.mean(flight)) / bdp, 0.35, 0.6)
    for before, after in pairwise(probes):
        between = after.begin_s - before.end_s
        yield Verdict.within(
            "time between two ProbeRTTs in seconds", between, 5.0, 5.0 + 4 * trace.path_rtt_s
        )


def outside(trace: Trace) -> Iterator[Verdict]:
    """The flight falls to 0.6 bandwidth-delay products every five seconds, and not more often."""
    bdp = trace.path_rtt_s * trace.rate_packets_per_s(1.0)
    low = (trace.series("in_flight_packets") < 0.6 * bdp) & (trace.time_s > 1.0)
    begins = trace.time_s[1:][low[1:] & ~low[:-1]]
    probes = [float(begins[0])] if begins.size else []
    for begin in begins.tolist():
        if begin > probes[-1] + 1.0:
            probes.append(begin)
    yield Verdict.within("times of low flight in 17 s", len(probes), 2, 4)
    for before, after in pairwise(probes):
        yield Verdict.within("seconds from one to the next", after - before, 4.9, 6.0)


CASE = Case(
    number=10,
    section='appendix, "Entering and Exiting PROBE_RTT"; 5.3.4',
    title="ProbeRTT begins after five seconds and lasts 200 ms",
    statement=(
        "If for five seconds no round trip was shorter, the flow halves its flight for 200 ms and a round "
        "trip, and goes back to ProbeBW."
    ),
    scenario=one_flow("10 Mbit/s", 40, 17),
    rule=(
        "In 17 s there are two or three ProbeRTTs; each has a window gain of 0.5, half a bandwidth-delay "
        "product in flight (0.35 to 0.6), and a length of 200 ms to four round trips more; CRUISE or DOWN "
        "follows; 5 s to four round trips more lie between two."
    ),
    why=(
        "The flight has to fall before the 200 ms begin, which takes up to two round trips, and the last "
        "round has to end."
    ),
    observe=observe,
    outside=outside,
    shown=(STATE, "in_flight_packets", CWND_GAIN),
)
