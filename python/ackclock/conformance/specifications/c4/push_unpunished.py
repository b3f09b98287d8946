"""A push lowers no rate."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    PUSHING,
    RATE,
    STATE,
    path,
    whole_phases,
)
from ackclock.conformance.trace import NotSeenError, Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The nominal rate over each push that lost packets."""
    losses, found = trace.losses(), False
    for phase in whole_phases(trace, PUSHING):
        after = trace.path_rtt_s + phase.end_s
        if ((losses > phase.begin_s) & (losses < phase.end_s)).any():
            found = True
            share = trace.at(RATE, after) / trace.at(RATE, phase.begin_s)
            yield Verdict.within("nominal rate after the push in that before", share, 0.99, 1.3)
    if not found:
        raise NotSeenError("lost a packet in a push")


CASE = Case(
    number=14,
    section="draft-huitema-ccwg-c4-spec, Pushing state",
    title="A push that meets congestion lowers no rate",
    statement=(
        "Where a signal of congestion belongs to packets sent in Pushing, the nominal rate and the nominal "
        "max RTT are not reduced."
    ),
    scenario=path("20 Mbit/s", 80, 12, buffer="4 packets"),
    rule=(
        "At the end of each push that lost packets, and of the Recovery after it, the nominal rate is at "
        "least 99 % of that at the beginning of the push."
    ),
    why=(
        "A push by 17/16 overflows a buffer of four packets. Without a push that loses a packet the case "
        "is open."
    ),
    observe=observe,
    shown=(STATE, RATE),
)
