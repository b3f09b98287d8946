"""Slow start with delayed acknowledgments."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window at the end of each of three round trips."""
    for number in (1, 2, 3):
        before = window_at(trace, (number + 0.9) * trace.path_rtt_s)
        after = window_at(trace, (number + 1.9) * trace.path_rtt_s)
        yield Verdict.within(f"growth in round trip {number}", after / before, 1.4, 1.55)


CASE = Case(
    number=3,
    section="RFC 5681, 3.1, equation 2",
    title="Slow start grows by a segment for each acknowledgment",
    statement=(
        "An acknowledgment adds at most one segment, also where it covers two, so that delayed "
        "acknowledgments make half of the growth."
    ),
    scenario=one_flow("100 Mbit/s", 100, 1, buffer="1000 packets", tcp={"segments_per_ack": 2}),
    rule="In each of the first three round trips with data the window grows to 1.4 to 1.55 times its value.",
    why="An odd number of segments leaves one without an acknowledgment of its own.",
    observe=observe,
    shown=("cwnd_packets",),
)
