"""Recovery lasts a round trip."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    ALONE,
    RECOVERY,
    STATE,
    repaired,
    round_trips,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The lengths of the phases."""
    for phase in repaired(trace, RECOVERY):
        lasted = round_trips(trace, phase.begin_s, phase.end_s)
        yield Verdict.within("round trips in Recovery", lasted, 0.95, 1.5)


CASE = Case(
    number=9,
    section="draft-huitema-ccwg-c4-spec, Recovery state",
    title="Recovery lasts a round trip",
    statement="Recovery ends when the first packet sent in it is acknowledged.",
    scenario=ALONE,
    rule="From 2 s on each phase of Recovery lasts 0.95 to 1.5 round trips.",
    why=(
        "The pacer sends the first packet of the state after its turn, and its sample comes with an "
        "acknowledgment of data. Until 2 s the losses of the initial state are repaired, in which no round "
        "trip is measured."
    ),
    observe=observe,
    shown=(STATE, "rtt_s"),
)
