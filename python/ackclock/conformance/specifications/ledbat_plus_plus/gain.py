"""The growth in a round trip at 40 ms."""

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
    yield Verdict.within("growth in packets per round trip", growth, 0.3, 0.36)


CASE = Case(
    number=8,
    section="the draft, reduced gain",
    title="At 40 ms a round trip adds a third of a packet",
    statement=(
        "Up to the target a round trip adds the gain, which is one over the round trips of 40 ms in two "
        "targets, rounded up: a third of a packet."
    ),
    scenario=empty(40, 10),
    rule="Over fifteen round trips after the first slowdown the window grows by 0.3 to 0.36 packets in each.",
    why="Three round trips of 36 to 44 ms hold two targets of 60 ms.",
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
