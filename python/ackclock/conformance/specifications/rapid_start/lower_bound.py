"""Losses leave a sixth of the window at least."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rapid_start.phases import TRIPLING, empty, falls_at
from ackclock.conformance.specifications.windows import lost, window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

FIRST, LAST = 200, 550


def observe(trace: Trace) -> Iterator[Verdict]:
    """The smallest window of the recovery, as a share."""
    found = falls_at(trace)
    before = window_at(trace, found)
    smallest = float(trace.during("cwnd_packets", found, found + 1.5 * trace.path_rtt_s).min())
    yield Verdict.within("smallest window of the recovery, as a share", smallest / before, 0.16, 0.4)


CASE = Case(
    number=10,
    section="draft-kazuho-ccwg-rapid-start-02, 3.3",
    title="Losses leave a sixth of the window at least",
    statement=(
        "However many packets are lost, the window stays above a third of the avoidance's share of what it "
        "was before the recovery."
    ),
    scenario=empty(loss=lost(*range(FIRST, LAST))),
    rule=(
        "The smallest window in one and a half round trips from its first fall is 0.16 to 0.4 of what it "
        "was before."
    ),
    why=(
        "A third of a half is 0.167. Of some 410 packets 350 are lost, each of which takes 5/6 of one, and "
        "each other a third: without a bound half of the others is left, 0.07."
    ),
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets", TRIPLING),
)
