"""No ProbeRTT after an idle time."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.bbr.states import NAMES, PROBE_RTT, STATE
from ackclock.conformance.specifications.paths import client, one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Outcome, Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The first second after each idle time of five seconds or more."""
    idle = trace.idle_times(longer_than_s=5.0)
    if not idle:
        yield Verdict("the run", "no idle time of five seconds", "at least one", Outcome.UNDECIDED)
        return
    for _, begin in idle:
        states = np.unique(trace.during(STATE, begin, begin + 1.0))
        probed = PROBE_RTT in states
        found = ", ".join(NAMES[int(state)] for state in states if np.isfinite(state))
        yield Verdict.decided("states in the second after an idle time", found, "no ProbeRTT", not probed)
        rate = trace.goodput_packets_per_s(begin + 0.2, begin + 0.5) / trace.rate_packets_per_s(begin)
        yield Verdict.within("goodput after 200 ms in rates of the link", rate, 0.85, 1.02)


CASE = Case(
    number=11,
    section='appendix, "Skipping PROBE_RTT Due to Application-Limited Sending"; 5.4.1',
    title="No ProbeRTT after an idle time",
    statement=(
        "A flow that was idle for more than five seconds does not enter ProbeRTT when it sends again: the "
        "idle time has drained the queue."
    ),
    scenario=one_flow(
        "10 Mbit/s",
        40,
        24,
        flow=client({"constant": "1500 packets"}, "6 s"),
    ),
    rule=(
        "In the second after an idle time there is no ProbeRTT, and from 200 ms to 500 ms at least 85 % "
        "of the link is used."
    ),
    why="A ProbeRTT would come with the first acknowledgment, and halve the flight for 200 ms.",
    observe=observe,
    shown=(STATE, "in_flight_packets"),
)
