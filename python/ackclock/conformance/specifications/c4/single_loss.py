"""Losses above the threshold take a quarter."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    RATE,
    STATE,
    in_cruising,
    path,
    reduced_in_recovery,
)
from ackclock.conformance.specifications.paths import BOTTLENECK, stepped
from ackclock.conformance.trace import NotSeenError, Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The state and the nominal rate after the losses."""
    if not trace.losses().size:
        raise NotSeenError("lost a packet")
    yield from reduced_in_recovery(trace, 0.74, 0.76)


CASE = Case(
    number=24,
    section="draft-huitema-ccwg-c4-spec, Detecting Excessive Losses; Rate Reduction on Congestion",
    title="Losses above the threshold take a quarter",
    statement=(
        "The loss rate is an average with the weight 1/16 for each packet. Above 2 % at full sensitivity, "
        "and 52 % at none, Recovery begins and the nominal rate falls by a quarter."
    ),
    scenario=path("20 Mbit/s", 80, 9, buffer="500 packets", delay="38 ms", flow={"start_jitter": "100 ms"}),
    rule=(
        "Within two round trips after some packets of Cruising are lost, Recovery begins, and the nominal "
        "rate is 74 to 76 % of that before."
    ),
    why=(
        "At 2.5 MB/s the threshold is 5.4 %, and one loss makes the average 6.25 %. Of the packets of 10 "
        "ms half are lost."
    ),
    observe=observe,
    then=in_cruising(
        lambda at: {f"{BOTTLENECK}.loss": {"schedule": stepped(0.0, (at, 0.5), (at + 0.01, 0.0))}}
    ),
    shown=(STATE, RATE, "in_flight_packets"),
)
