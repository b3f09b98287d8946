"""A round trip of half the saved one or less shows another path."""

from collections.abc import Iterator
from dataclasses import replace

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.careful_resume.memory import JUMP, PHASE
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

__all__ = ["CASE", "LONG"]


def observe(trace: Trace) -> Iterator[Verdict]:
    """The windows of standard slow start in the first two round trips of acknowledgments."""
    for number, expected in ((1, 20), (2, 40)):
        window = trace.at("cwnd_packets", (number + 1.9) * trace.path_rtt_s)
        yield Verdict.within(f"window after round trip {number} in packets", window, 0.9 * expected, expected)
    early = trace.during("cwnd_packets", 0.0, 2.9 * trace.path_rtt_s)
    yield Verdict.same("the window of a jump", bool((early >= JUMP).any()), False)


CASE = Case(
    number=5,
    section="RFC 9959, 3.2 and 4.2.1",
    title="A round trip of half the saved one or less shows another path",
    statement=(
        "If the smallest round trip is at most half of the saved one, the memory is not used, and slow "
        "start goes on."
    ),
    scenario=one_flow("900 Mbit/s", 44, 0.5, buffer="9000 packets", tcp={"segments_per_ack": 1}),
    rule=("After one and two round trips of acknowledgments the window is 0.9 to 1 of 20 and 40 packets."),
    why="The path has 40 to 48 ms, and half of 100 ms are 50.",
    observe=observe,
    shown=("cwnd_packets", PHASE),
)

LONG = replace(
    CASE,
    number=6,
    section="RFC 9959, 4.2.1",
    title="A round trip of more than ten saved ones shows another path",
    statement=(
        "If the smallest round trip is more than ten times the saved one, the memory is not used, and slow "
        "start goes on."
    ),
    scenario=one_flow("900 Mbit/s", 1200, 6, buffer="9000 packets", tcp={"segments_per_ack": 1}),
    why="The path has 1080 to 1320 ms.",
)
"""The same at the other end of what confirms a path."""
