"""Drain ends after three rounds, where the queue does not."""

import math
from collections.abc import Iterator

from ackclock.conformance.case import Case, Law, Settings
from ackclock.conformance.specifications.bbr.states import (
    CRUISE,
    DOWN,
    DRAIN,
    ROUND,
    STATE,
    bdp_packets,
    followed_by,
    never_came,
    phases,
)
from ackclock.conformance.specifications.paths import BOTTLENECK, one_flow, stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def slower(trace: Trace) -> Settings | None:
    """The rate falls to less than a half when Drain begins."""
    ended = phases(trace, DRAIN)
    if not ended:
        return None
    return {f"{BOTTLENECK}.rate": stepped("10 Mbit/s", (ended[0].begin_s, "4 Mbit/s"))}


def observe(trace: Trace) -> Iterator[Verdict]:
    """The rounds in Drain, and the flight at its end."""
    ended = phases(trace, DRAIN)
    if not ended:
        yield never_came(DRAIN)
        return
    drain = ended[0]
    yield followed_by(trace, drain, DOWN, CRUISE)
    rounds = int(trace.at(ROUND, drain.end_s) - trace.at(ROUND, drain.begin_s))
    yield Verdict.within("rounds in Drain", rounds, 3, 4)
    excess = trace.at("in_flight_packets", drain.end_s) - bdp_packets(trace, drain.end_s)
    yield Verdict.within("flight at the end of Drain, less the estimated BDP", excess, 3.0, float("inf"))


def everywhere(trace: Trace) -> Iterator[Verdict]:
    """The rounds in the longest Drain, less those between two samples."""
    within = float(trace.time_s[1] - trace.time_s[0]) / trace.path_rtt_s
    rounds = [
        trace.at(ROUND, drain.end_s) - trace.at(ROUND, drain.begin_s) - within
        for drain in phases(trace, DRAIN)
    ]
    if rounds:
        yield Verdict.within("rounds in Drain", max(rounds), -math.inf, 5)


CASE = Case(
    number=4,
    section='appendix, "Exiting DRAIN Based on Time"; 5.3.2',
    title="Drain ends after three rounds where the queue stays",
    statement=(
        "Where the bandwidth was overestimated, so that the flight stays above the estimated "
        "bandwidth-delay product, Drain ends after three rounds."
    ),
    scenario=one_flow("10 Mbit/s", 40, 6),
    then=slower,
    rule="Drain lasts 3 or 4 rounds, and the flight at its end is at least 3 packets above the estimate.",
    why=(
        "The draft's pseudocode waits until the count is more than three above its beginning. The rate "
        "falls by 60 %: after the appendix's 10 %, half of the bandwidth still drains the queue within "
        "two rounds."
    ),
    observe=observe,
    law=Law(
        "No Drain lasts more than 5 rounds, one more than by the pseudocode, and those between two samples.",
        everywhere,
    ),
    shown=(STATE, "in_flight_packets", ROUND),
)
