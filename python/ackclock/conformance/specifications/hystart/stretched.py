"""An acknowledgment adds eight segments at most."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.hystart.phases import CONSERVATIVE
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth of a round trip with an acknowledgment for sixteen segments."""
    before = window_at(trace, 4.5 * trace.path_rtt_s)
    after = window_at(trace, 5.5 * trace.path_rtt_s)
    yield Verdict.within("growth in a round trip", after / before, 1.3, 1.62)


CASE = Case(
    number=10,
    section="RFC 9406, 4.2 and 4.3",
    title="An acknowledgment adds eight segments at most",
    statement=(
        "Without pacing an acknowledgment adds L = 8 segments at most, so that one for sixteen segments adds "
        "half of what it acknowledges."
    ),
    scenario=one_flow(
        "900 Mbit/s",
        100,
        1,
        buffer="9000 packets",
        tcp={"segments_per_ack": 16, "initial_window": "64 packets", "ack_delay": "5 ms"},
    ),
    rule="From 4.5 to 5.5 round trips the window grows to 1.3 to 1.62 of its value.",
    why="Half is added; the last acknowledgment of a flight may cover less, which counts in full.",
    observe=observe,
    shown=("cwnd_packets", CONSERVATIVE),
)
