"""Losses after 20 packets end Initial."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    INITIAL,
    RATE,
    RECOVERY,
    STATE,
    path,
    whole_phases,
)
from ackclock.conformance.specifications.windows import lost, no_loss
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The time from the losses to the end of Initial."""
    losses = trace.losses()
    if not losses.size:
        yield no_loss()
        return
    end_s = whole_phases(trace, INITIAL)[0].end_s
    lasted = (end_s - float(losses[0])) / trace.path_rtt_s
    yield Verdict.within("round trips from the first loss to the end of Initial", lasted, 0.4, 2.5)
    yield Verdict.same("state after Initial", int(trace.at(STATE, end_s)), RECOVERY)


CASE = Case(
    number=4,
    section="draft-huitema-ccwg-c4-spec, Initial state",
    title="Losses end Initial once twenty packets have come",
    statement=(
        "A loss rate above its threshold ends the initial state, if more than twenty packets have been "
        "received."
    ),
    scenario=path("100 Mbit/s", 80, 2, buffer="2000 packets", loss=lost(*range(100, 160))),
    rule=(
        "Initial ends within 2.5 round trips after the first of 60 successive losses, and Recovery follows."
    ),
    why=(
        "The rate of the second flight is below the path's, so that the threshold of the rate of losses is "
        "up to 52 %. It is exceeded by eleven losses in a row. They are known a round trip later."
    ),
    observe=observe,
    shown=(STATE, RATE, "in_flight_packets"),
)
