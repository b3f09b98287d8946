"""Startup ends on losses, even while the application limits the rate."""

from collections.abc import Iterator

from ackclock.conformance.case import Case, Settings
from ackclock.conformance.specifications.bbr.states import (
    CRUISE,
    DOWN,
    DRAIN,
    FULL_ROUNDS,
    STARTUP,
    STATE,
    followed_by,
    phases,
)
from ackclock.conformance.specifications.paths import BOTTLENECK, client, losing, one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

LOSSES_BEGIN_S = 2.0


def lossy(_: Trace) -> Settings:
    """A quarter of the packets is lost from the second second on."""
    return {f"{BOTTLENECK}.loss": losing(0.25, LOSSES_BEGIN_S)}


def observe(trace: Trace) -> Iterator[Verdict]:
    """Startup lasts until the losses, and ends soon after them without a plateau."""
    ended = phases(trace, STARTUP)
    if not ended:
        yield Verdict.decided("the end of Startup", "none", "one", holds=False)
        return
    startup = ended[-1]
    yield followed_by(trace, startup, DRAIN, DOWN, CRUISE)
    after_s = startup.end_s - LOSSES_BEGIN_S
    yield Verdict.within("Startup ends after the first losses by seconds", after_s, 0.0, 2.0)
    counted = int(trace.at(FULL_ROUNDS, startup.end_s - 0.002))
    yield Verdict.within("rounds counted without growth", counted, -float("inf"), 2)


CASE = Case(
    number=2,
    section='appendix, "Exiting STARTUP on Loss When Application-Limited"; 5.3.1.3',
    title="Startup ends on losses while the application limits the rate",
    statement=(
        "With samples that the application limits there is no plateau to see. More than 2 % lost in a "
        "round of a recovery, in six places or more, ends Startup all the same."
    ),
    scenario=one_flow(
        "50 Mbit/s",
        40,
        6,
        flow=client({"constant": "60 packets"}, "30 ms"),
    ),
    then=lossy,
    rule=(
        "Drain follows within 2 s of the first losses, or what follows an empty Drain, with at most two "
        "rounds without growth counted."
    ),
    why=(
        "A quarter of the packets is lost, so that responses of 60 packets lose in six places. A recovery "
        "has to last a whole round, and the answers come every 100 ms, so that some exchanges may pass. A "
        "Drain with little in flight ends at once, within a sample of the series."
    ),
    observe=observe,
    shown=(STATE, "in_flight_packets", FULL_ROUNDS),
)
