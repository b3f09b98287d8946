"""Ten times the bandwidth is found at the next probe."""

import math
from collections.abc import Iterator

from ackclock.conformance.case import Case, Settings
from ackclock.conformance.specifications.bbr.states import CRUISE, LONGTERM, MAX_BANDWIDTH, STATE, UP, phases
from ackclock.conformance.specifications.paths import BOTTLENECK, one_flow, stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Outcome, Verdict


def faster(trace: Trace) -> Settings | None:
    """The rate rises to ten times when the flow first cruises after a probe."""
    probes = phases(trace, UP)
    cruises = [phase for phase in phases(trace, CRUISE) if probes and phase.begin_s >= probes[0].end_s]
    if not cruises:
        return None
    return {f"{BOTTLENECK}.rate": stepped("10 Mbit/s", (cruises[0].begin_s, "100 Mbit/s"))}


def observe(trace: Trace) -> Iterator[Verdict]:
    """The rounds from the probe after the rise to nine tenths of the new rate."""
    step = trace.rate_changed_s()
    probes = [phase for phase in trace.phases(STATE) if phase.value == UP and phase.begin_s > step]
    if not probes:
        yield Verdict("the run", "no probe after the rise", "at least one", Outcome.UNDECIDED)
        return
    rate = trace.rate_packets_per_s(float(trace.time_s[-1]))
    found = trace.time_s[(trace.gauge(MAX_BANDWIDTH) >= 0.9 * rate) & (trace.time_s > step)]
    rounds = (float(found[0]) - probes[0].begin_s) / trace.path_rtt_s if found.size else math.inf
    most = 2 * math.log2(rate * trace.path_rtt_s) + 6
    yield Verdict.within("round trips from the probe to 90 % of the rate", rounds, 1.0, most)
    yield Verdict.within(
        "estimate at the end in rates of the link", trace.at(MAX_BANDWIDTH, 99) / rate, 0.98, 1.02
    )


def outside(trace: Trace) -> Iterator[Verdict]:
    """The goodput at the end."""
    end = float(trace.time_s[-1])
    rate = trace.goodput_packets_per_s(end - 1.0, end) / trace.rate_packets_per_s(end)
    yield Verdict.within("goodput at the end in rates of the link", rate, 0.85, 1.02)


CASE = Case(
    number=15,
    section='appendix, "Increasing Bandwidth 10x and Ensuring Full Bandwidth is Reached"; 5.3.3.5',
    title="Ten times the bandwidth is found at the next probe",
    statement=(
        "When the link becomes ten times faster, a probe raises the rate by a quarter each round and the "
        "bound, where one is set, by twice as much each round, so that the whole rate is found in a "
        "number of rounds that grows with the logarithm of the bandwidth-delay product."
    ),
    scenario=one_flow("10 Mbit/s", 40, 9, buffer="400 packets"),
    then=faster,
    rule=(
        "From the beginning of the next probe to 90 % of the new rate pass at most 2 log2(BDP) + 6 round "
        "trips, here 22; at the end the estimate is within 2 %."
    ),
    why=(
        "A quarter more in each round gives ten times the rate after 10.3 rounds, and each takes effect a "
        "round later."
    ),
    observe=observe,
    outside=outside,
    shown=(STATE, MAX_BANDWIDTH, LONGTERM),
)
