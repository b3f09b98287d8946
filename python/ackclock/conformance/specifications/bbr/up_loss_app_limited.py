"""A probe ends on losses, even while the application limits the rate."""

from collections.abc import Iterator

from ackclock.conformance.case import Case, Settings
from ackclock.conformance.specifications.bbr.app_limited import MOSTLY_SMALL, is_app_limited
from ackclock.conformance.specifications.bbr.states import (
    CRUISE,
    DOWN,
    LONGTERM,
    STATE,
    UP,
    followed_by,
    never_came,
)
from ackclock.conformance.specifications.paths import BOTTLENECK, losing
from ackclock.conformance.trace import Phase, Trace
from ackclock.measures.verdict import Verdict

LOSSY_S = 0.5
"""The length of the losses, some ten responses."""


def limited_probe(trace: Trace) -> Phase | None:
    """The first UP that the application limits for three round trips."""
    for phase in trace.phases(STATE):
        is_long = phase.value == UP and phase.length_s > 0.2
        if is_long and is_app_limited(trace, phase.begin_s - 0.1, phase.begin_s + 0.2):
            return phase
    return None


def lossy(trace: Trace) -> Settings | None:
    """Losses from 100 ms after the beginning of that probe."""
    probe = limited_probe(trace)
    if probe is None:
        return None
    begin = probe.begin_s + 0.1
    return {f"{BOTTLENECK}.loss": losing(0.3, begin, begin + LOSSY_S)}


def observe(trace: Trace) -> Iterator[Verdict]:
    """The probe that meets the losses."""
    losses = trace.losses()
    met = [phase for phase in trace.phases(STATE) if phase.value == UP and phase.is_whole]
    met = [phase for phase in met if losses.size and phase.begin_s < losses[0] < phase.end_s + 0.001]
    if not met:
        yield never_came(UP)
        return
    probe = met[0]
    yield followed_by(trace, probe, DOWN, CRUISE)
    after = probe.end_s - float(losses[0])
    yield Verdict.within("UP ends after the first loss by seconds", after, 0.0, 0.35)
    bound = trace.at(LONGTERM, probe.end_s + 0.002)
    before = trace.at(LONGTERM, probe.begin_s)
    yield Verdict.same("inflight_longterm after and before", bound, before)


CASE = Case(
    number=6,
    section='appendix, "Exiting PROBE_UP on Loss When Application-Limited"; 5.3.3.7, 5.5.10.2',
    title="A probe ends on losses while the application limits the rate",
    statement=(
        "More than 2 % lost over a round trip end a probe, whether or not the application limits the "
        "rate. With samples that it limits, inflight_longterm stays, since the flight says nothing about "
        "the path."
    ),
    scenario=MOSTLY_SMALL,
    then=lossy,
    rule=(
        "DOWN, or CRUISE after a DOWN with little in flight, follows within 350 ms of the first loss, and "
        "inflight_longterm is unchanged."
    ),
    why=(
        "A loss at the end of a response is found by a probe after two round trips, or by the timer after "
        "200 ms and a round trip."
    ),
    observe=observe,
    shown=(STATE, "in_flight_packets", LONGTERM),
)
