"""A connection with a memory begins with the initial window."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.careful_resume.memory import PHASE, RIGHT
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The largest window until the first acknowledgment of data."""
    first = trace.during("cwnd_packets", 0.0, 1.9 * trace.path_rtt_s)
    yield Verdict.within("largest window before data is acknowledged, in packets", float(first.max()), 1, 10)


CASE = Case(
    number=1,
    section="RFC 9959, 3.2 and 4.2",
    title="A connection with a memory begins with the initial window",
    statement=("In its first round trip of data a connection sends no more than the initial window."),
    scenario=RIGHT,
    rule="Until data is acknowledged the window is at most 10 packets.",
    why=("The initial window is ten packets. The handshake takes the first of two round trips."),
    observe=observe,
    shown=("cwnd_packets", PHASE),
)
