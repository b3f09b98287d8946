"""ProbeRTT during Startup leads back to Startup."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.bbr.startup_app_limited import CASE as APP_LIMITED
from ackclock.conformance.specifications.bbr.states import (
    CWND_GAIN,
    PROBE_RTT,
    STARTUP,
    STATE,
    followed_by,
    never_came,
    phases,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """Each ProbeRTT of a flow that never left Startup."""
    probes = phases(trace, PROBE_RTT)
    if not probes:
        yield never_came(PROBE_RTT)
        return
    first = probes[0].begin_s - float(trace.time_s[0])
    yield Verdict.within("seconds to the first ProbeRTT", first, 5.0, 5.5)
    for probe in probes:
        yield followed_by(trace, probe, STARTUP)
        yield Verdict.within("length of ProbeRTT in seconds", probe.length_s, 0.2, 0.2 + 4 * trace.path_rtt_s)


CASE = Case(
    number=20,
    section='appendix, "Entering and Exiting PROBE_RTT During STARTUP"; 5.3.4.4',
    title="ProbeRTT during Startup leads back to Startup",
    statement=(
        "A flow whose pipe was never full goes from ProbeRTT back to Startup, and goes on looking for the "
        "bandwidth."
    ),
    scenario=APP_LIMITED.scenario,
    rule=(
        "The first ProbeRTT begins after 5 to 5.5 s, each lasts 200 ms to four round trips more, and "
        "Startup follows each."
    ),
    why=(
        "Responses of 8 packets come each 42 ms and keep the flow in Startup; the clock of ProbeRTT is "
        "read when one is acknowledged."
    ),
    observe=observe,
    shown=(STATE, "in_flight_packets", CWND_GAIN),
)
