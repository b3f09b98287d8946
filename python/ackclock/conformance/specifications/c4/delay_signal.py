"""A longer delay takes a quarter at most."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    MAX_RTT,
    RATE,
    STATE,
    longer_by,
    path,
    reduced_in_recovery,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The state and the nominal rate after the delay."""
    yield from reduced_in_recovery(trace, 0.74, 0.76)


CASE = Case(
    number=20,
    section="draft-huitema-ccwg-c4-spec, Detecting Excessive Delays; Rate Reduction on Congestion",
    title="A delay far above the threshold takes a quarter",
    statement=(
        "A round trip above the nominal max RTT by more than the threshold is congestion: Cruising ends, "
        "and the nominal rate falls by the excess over it in thresholds, a quarter at most. The threshold "
        "is a sixteenth of the nominal max RTT at 10 MB/s and more."
    ),
    scenario=path(
        "100 Mbit/s",
        80,
        9,
        buffer="3000 packets",
        delay="38 ms",
        reverse={"rate": "100 Mbit/s", "delay": "38 ms"},
        flow={"start_jitter": "100 ms"},
    ),
    rule=(
        "Within two round trips after the round trip has become two thresholds longer than the nominal max "
        "RTT in Cruising, Recovery begins, and the nominal rate is 74 to 76 % of that before."
    ),
    why=(
        "The threshold is computed from the nominal rate and the nominal max RTT at that time. The excess "
        "over it is a whole threshold, so that a quarter is taken."
    ),
    observe=observe,
    then=longer_by(2.0, 38.0),
    shown=(STATE, RATE, MAX_RTT, "rtt_s"),
)
