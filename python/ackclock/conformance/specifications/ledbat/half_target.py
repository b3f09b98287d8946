"""At half of the target the window grows half as fast."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.ledbat.stepped import BEGIN_S, longer
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

DELAY_MS = 50.0


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth in twenty round trips of the longer path."""
    trip = trace.path_rtt_s + DELAY_MS / 1e3
    begin = BEGIN_S + 0.5
    growth = (window_at(trace, begin + 20 * trip) - window_at(trace, begin)) / 20
    yield Verdict.within("growth in packets per round trip", growth, 0.4, 0.6)


CASE = Case(
    number=5,
    section="RFC 6817, 2.4.2",
    title="At half of the target the window grows half as fast",
    statement=(
        "The growth is in proportion to what is left to the target: with a queueing delay of 50 ms, half a "
        "packet in a round trip."
    ),
    scenario=longer(DELAY_MS),
    rule="Over twenty round trips the window grows by 0.4 to 0.6 packets in each.",
    why=(
        "The path becomes 50 ms longer, which is a queue to the sender. Target and gain are the RFC's "
        "largest."
    ),
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
