"""Slow start grows by the gain."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window at the end of each of four round trips."""
    for number in (1, 2, 3, 4):
        before = window_at(trace, (number + 0.9) * trace.path_rtt_s)
        after = window_at(trace, (number + 1.9) * trace.path_rtt_s)
        yield Verdict.within(f"growth in round trip {number}", after / before, 1.3, 1.36)


CASE = Case(
    number=1,
    section="the draft, modified slow start",
    title="Slow start grows by the gain",
    statement="In slow start an acknowledged packet adds the gain, a third of a packet at 40 ms.",
    scenario=one_flow("200 Mbit/s", 40, 1, buffer="1000 packets", tcp={"segments_per_ack": 1}),
    rule="In each of the first four round trips the window grows to 1.3 to 1.36 times its value.",
    why="Two targets hold three round trips of 36 to 44 ms, rounded up. Nothing waits on this path.",
    observe=observe,
    shown=("cwnd_packets",),
)
