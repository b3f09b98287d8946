"""A delay below the threshold changes nothing."""

from collections.abc import Iterator
from dataclasses import replace

from ackclock.conformance.specifications.c4.delay_signal import CASE as DELAY_SIGNAL
from ackclock.conformance.specifications.c4.states import (
    longer_by,
    reduced_in_recovery,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The nominal rate after the delay."""
    yield from reduced_in_recovery(trace, 0.98, 1.02, recovers=False)


CASE = replace(
    DELAY_SIGNAL,
    number=22,
    section="draft-huitema-ccwg-c4-spec, Detecting Excessive Delays",
    title="A delay below the threshold changes nothing",
    statement="A round trip above the nominal max RTT by less than the threshold is no congestion.",
    rule=(
        "In two round trips after the round trip has become 0.7 thresholds longer than the nominal max RTT "
        "in Cruising no Recovery begins without a push, and the nominal rate is 98 to 102 % of that "
        "before."
    ),
    why="The threshold is computed from the nominal rate and the nominal max RTT at that time.",
    observe=observe,
    then=longer_by(0.7, 38.0),
)
