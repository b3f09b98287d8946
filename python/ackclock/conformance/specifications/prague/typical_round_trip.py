"""A round trip above typical ones grows as ever."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.prague.l4s import faster
from ackclock.conformance.specifications.windows import growth_per_round_trip
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

STEP_S = 22.0


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth of the window without marks."""
    growth = growth_per_round_trip(trace, STEP_S + 0.5, 30)
    yield Verdict.within("growth in packets per round trip", growth, 0.85, 1.1)


CASE = Case(
    number=10,
    section="RFC 9331, A.1.6; draft-briscoe-iccrg-prague-congestion-control-04, 2.3.3",
    title="A round trip above typical ones grows as ever",
    statement=(
        "At round trips above typical ones the window grows by a packet in each, as standard TCP's does."
    ),
    scenario=faster(STEP_S, 40, 25),
    rule="Over thirty round trips without marks the window grows by 0.85 to 1.1 packets in each.",
    why="The growth is spread over acknowledgments. More than 500 round trips of avoidance lie before.",
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
