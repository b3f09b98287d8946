"""The growth in a round trip at 200 ms."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.ledbat_plus_plus.slowdowns import empty, never_slowed, slowdowns
from ackclock.conformance.specifications.windows import growth_per_round_trip
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth after the first slowdown."""
    found = slowdowns(trace)
    if not found:
        yield never_slowed()
        return
    growth = growth_per_round_trip(trace, found[0].back_s + 2 * trace.path_rtt_s, 15)
    yield Verdict.within("growth in packets per round trip", growth, 0.92, 1.06)


CASE = Case(
    number=9,
    section="the draft, reduced gain",
    title="At 200 ms a round trip adds one packet",
    statement=(
        "On a path of 200 ms two targets hold a part of a round trip, rounded up to one: the window grows as "
        "standard TCP's does, and no faster."
    ),
    scenario=empty(200, 9),
    rule=(
        "Over fifteen round trips after the first slowdown the window grows by 0.92 to 1.06 packets in each."
    ),
    why="The largest gain is one; windows change within a round trip.",
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
