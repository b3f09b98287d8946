"""A sender that the application limits does not push."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    PUSHING,
    RATE,
    STATE,
    path,
)
from ackclock.conformance.specifications.paths import stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

FASTER_S = 4.0

LIMITED = path(
    stepped("4 Mbit/s", (FASTER_S, "40 Mbit/s")),
    80,
    12,
    buffer="200 packets",
    flow={"write_rate": "5 Mbit/s"},
)


def observe(trace: Trace) -> Iterator[Verdict]:
    """Pushes and the nominal rate once the application limits the sender."""
    late = trace.time_s > 8.0
    before = trace.at(RATE, 8.0)
    yield Verdict.same("samples in Pushing", int((trace.gauge(STATE)[late] == PUSHING).sum()), 0)
    least = float(trace.gauge(RATE)[late].min())
    yield Verdict.within("least nominal rate in that before", least / before, 0.95, 1.2)


CASE = Case(
    number=11,
    section="draft-huitema-ccwg-c4-spec, States and Transition",
    title="A sender that the application limits does not push",
    statement=(
        "Cruising goes on until four eras have passed and the application does not limit the sender. The "
        "nominal rate of a limited sender stays."
    ),
    scenario=LIMITED,
    rule=(
        "From four seconds after the link has become fast on, no phase of Pushing begins, and the nominal "
        "rate is at least 95 % of what it was."
    ),
    why=(
        "The application writes 5 Mbit/s over a link of 4 Mbit/s until 4 s, and of 40 Mbit/s afterwards: "
        "what waited is sent within some seconds, with a push now and then."
    ),
    observe=observe,
    shown=(STATE, RATE, "in_flight_packets"),
)
