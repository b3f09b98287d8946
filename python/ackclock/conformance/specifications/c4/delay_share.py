"""A delay just above the threshold takes its excess."""

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
    """The state and the nominal rate after the delay."""
    yield from reduced_in_recovery(trace, 0.84, 0.92)


CASE = replace(
    DELAY_SIGNAL,
    number=21,
    section="draft-huitema-ccwg-c4-spec, Rate Reduction on Congestion",
    title="A delay just above the threshold takes its excess",
    statement=(
        "For a delay the nominal rate falls by the excess over the threshold, in thresholds, if that is "
        "less than a quarter."
    ),
    rule=(
        "Within two round trips after the round trip has become 1.12 thresholds longer than the nominal "
        "max RTT in Cruising, Recovery begins, and the nominal rate is 84 to 92 % of that before."
    ),
    why="The excess is 12 % of the threshold. A packet or two in the queue are 2 % to 4 % of it.",
    observe=observe,
    then=longer_by(1.12, 38.0),
)
