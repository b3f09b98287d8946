"""The growth in a round trip at 6 ms."""

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
    yield Verdict.within("growth in packets per round trip", growth, 0.058, 0.067)


CASE = Case(
    number=10,
    section="the draft, reduced gain",
    title="At 6 ms a round trip adds a sixteenth of a packet",
    statement=(
        "On a path of 6 ms two targets hold twenty round trips; the gain is a sixteenth all the same, its "
        "least value."
    ),
    scenario=empty(6, 3),
    rule=(
        "Over fifteen round trips after the first slowdown the window grows by 0.058 to 0.067 packets in "
        "each."
    ),
    why="A twentieth would be 0.05.",
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
