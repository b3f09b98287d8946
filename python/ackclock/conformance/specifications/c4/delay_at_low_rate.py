"""A slow flow tolerates more delay."""

from collections.abc import Iterator
from dataclasses import replace

from ackclock.conformance.specifications.c4.delay_signal import CASE as DELAY_SIGNAL
from ackclock.conformance.specifications.c4.states import (
    longer_by,
    path,
    reduced_in_recovery,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The nominal rate after the delay."""
    yield from reduced_in_recovery(trace, 0.98, 1.02, recovers=False)


CASE = replace(
    DELAY_SIGNAL,
    number=23,
    section="draft-huitema-ccwg-c4-spec, Variable Sensitivity; Detecting Excessive Delays",
    title="A slow flow tolerates more delay",
    statement=(
        "The threshold grows as the rate falls: a quarter of the nominal max RTT, and 25 ms at most, at 50 "
        "kB/s and below."
    ),
    scenario=path(
        "800 kbit/s",
        80,
        20,
        buffer="100 packets",
        delay="38 ms",
        reverse={"rate": "800 kbit/s", "delay": "38 ms"},
        flow={"start_jitter": "100 ms"},
    ),
    rule=(
        "In two round trips after the round trip has become 0.7 thresholds longer than the nominal max RTT "
        "in Cruising no Recovery begins without a push, and the nominal rate is 98 to 102 % of that "
        "before."
    ),
    why=(
        "At 100 kB/s the sensitivity is 0.05. At full sensitivity the threshold is less than 0.7 of that "
        "here."
    ),
    observe=observe,
    then=longer_by(0.7, 38.0),
)
