"""A slow flow tolerates a loss."""

from collections.abc import Iterator
from dataclasses import replace

from ackclock.conformance.specifications.c4.single_loss import CASE as SINGLE_LOSS
from ackclock.conformance.specifications.c4.states import (
    in_cruising,
    path,
    reduced_in_recovery,
)
from ackclock.conformance.specifications.paths import BOTTLENECK, stepped
from ackclock.conformance.trace import NotSeenError, Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The nominal rate after the loss."""
    if not trace.losses().size:
        raise NotSeenError("lost a packet")
    yield from reduced_in_recovery(trace, 0.98, 1.02, recovers=False)


CASE = replace(
    SINGLE_LOSS,
    number=25,
    section="draft-huitema-ccwg-c4-spec, Variable Sensitivity; Detecting Excessive Losses",
    title="A slow flow tolerates a loss",
    statement=(
        "At 250 kB/s the sensitivity is 0.19 and the threshold of the loss rate 42 %, so that a few losses "
        "are no congestion."
    ),
    scenario=path("2 Mbit/s", 80, 12, buffer="100 packets", delay="38 ms", flow={"start_jitter": "100 ms"}),
    rule=(
        "In two round trips after a loss no Recovery begins without a push, and the nominal rate is 98 to "
        "102 % of that before."
    ),
    why="In 10 ms one or two packets pass.",
    observe=observe,
    then=in_cruising(
        lambda at: {f"{BOTTLENECK}.loss": {"schedule": stepped(0.0, (at, 1.0), (at + 0.006, 0.0))}}
    ),
)
