"""Above the target the window shrinks in proportion."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.ledbat.stepped import BEGIN_S, longer
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

DELAY_MS = 200.0


def observe(trace: Trace) -> Iterator[Verdict]:
    """The decrease in fifteen round trips of the longer path."""
    trip = trace.path_rtt_s + DELAY_MS / 1e3
    begin = BEGIN_S + 0.5
    growth = (window_at(trace, begin + 15 * trip) - window_at(trace, begin)) / 15
    yield Verdict.within("growth in packets per round trip", growth, -1.15, -0.85)


CASE = Case(
    number=6,
    section="RFC 6817, 2.4.2",
    title="Above the target the window shrinks in proportion",
    statement=(
        "At twice the target, 200 ms, the window loses a packet in a round trip, as much as it gains without "
        "a queue."
    ),
    scenario=longer(DELAY_MS),
    rule="Over fifteen round trips the window shrinks by 0.85 to 1.15 packets in each.",
    why="The gain of decreases may be higher by the RFC, and is the same here, one.",
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
