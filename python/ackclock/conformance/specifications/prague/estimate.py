"""Without marks alpha falls by a sixteenth in a round trip."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.prague.l4s import ALPHA, faster
from ackclock.conformance.trace import NotSeenError, Trace
from ackclock.measures.verdict import Verdict

STEP_S = 5.0
ROUNDS = 15


def observe(trace: Trace) -> Iterator[Verdict]:
    """The mean factor of fifteen round trips."""
    begin = STEP_S + 0.3
    before = trace.at(ALPHA, begin)
    if before <= 0:
        raise NotSeenError("an alpha above 0")
    factor = (trace.at(ALPHA, begin + ROUNDS * trace.path_rtt_s) / before) ** (1 / ROUNDS)
    yield Verdict.within("factor of alpha in a round trip", factor, 0.93, 0.95)


CASE = Case(
    number=14,
    section="draft-briscoe-iccrg-prague-congestion-control-04, 2.3.2",
    title="Without marks alpha falls by a sixteenth in a round trip",
    statement=(
        "Once in a round trip alpha moves a sixteenth of the way to the share of marks, which is zero here."
    ),
    scenario=faster(STEP_S, 50, 7),
    rule="The mean factor of fifteen round trips is 0.93 to 0.95.",
    why=(
        "Fifteen sixteenths are 0.9375, and a round of data takes a little longer than the path's round trip."
    ),
    observe=observe,
    shown=(ALPHA, "cwnd_packets"),
)
