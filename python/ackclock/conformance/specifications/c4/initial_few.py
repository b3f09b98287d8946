"""A loss among the first 20 packets does not end Initial."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    INITIAL,
    RATE,
    STATE,
    path,
)
from ackclock.conformance.specifications.windows import first_loss_s, lost, no_loss
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The state two round trips after the loss."""
    if not trace.losses().size:
        yield no_loss()
        return
    after = first_loss_s(trace) + 2.0 * trace.path_rtt_s
    yield Verdict.same("state two round trips after the loss", int(trace.at(STATE, after)), INITIAL)


CASE = Case(
    number=5,
    section="draft-huitema-ccwg-c4-spec, Initial state",
    title="A loss among the first twenty packets does not end Initial",
    statement=(
        "A loss rate above its threshold does not end the initial state while twenty packets or fewer have "
        "been received."
    ),
    scenario=path("100 Mbit/s", 10, 1, buffer="2000 packets", loss=lost(11)),
    rule="Two round trips after the eleventh packet is lost, the flow is still in the initial state.",
    why=(
        "Ten packets in 10 ms are 1.5 MB/s, at which the threshold is 6 %, and one loss makes the average "
        "6.25 %. The loss is known when some thirteen packets have come, and is soon averaged out."
    ),
    observe=observe,
    shown=(STATE, RATE, "in_flight_packets"),
)
