"""Without marks the estimate falls by a sixteenth in each round trip."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.dctcp.marking import ALPHA, UNMARKED
from ackclock.conformance.trace import NotSeenError, Trace, first
from ackclock.measures.verdict import Verdict

ROUNDS = 20


def observe(trace: Trace) -> Iterator[Verdict]:
    """The mean factor of twenty round trips."""
    before = first(trace.during(ALPHA, 1.0, 1.01)[:1], "a value of alpha")
    if before <= 0:
        raise NotSeenError("an alpha above 0")
    after = trace.at(ALPHA, 1.0 + ROUNDS * trace.path_rtt_s)
    factor = (after / before) ** (1 / ROUNDS)
    yield Verdict.within("factor of alpha in a round trip", float(factor), 0.93, 0.945)


CASE = Case(
    number=2,
    section="RFC 8257, 3.3, steps 4 to 6, and 4.2",
    title="Without marks the estimate falls by a sixteenth in each round trip",
    statement=(
        "Once in each window of data alpha moves a sixteenth of the way to the share of marks, which is zero "
        "here."
    ),
    scenario=UNMARKED,
    rule="The mean factor of twenty round trips is 0.93 to 0.945.",
    why=(
        "Fifteen sixteenths are 0.9375, and a window of data takes a little longer than the path's round "
        "trip."
    ),
    observe=observe,
    shown=(ALPHA, "cwnd_packets"),
)
