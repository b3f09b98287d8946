"""The flow gives way to a standard flow."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rledbat.receivers import (
    with_another,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput before and after the other flow begins."""
    yield Verdict.within("goodput alone in rates of the link", trace.goodput_of_link(5.0, 10.0), 0.8, 1.02)
    shared = trace.goodput_of_link(20.0, 60.0)
    yield Verdict.within("goodput with a standard flow in rates of the link", shared, 0.0, 0.1)


CASE = Case(
    number=3,
    section="RFC 9840, 1 and 3",
    title="The flow gives way to a standard flow",
    statement="The receiver makes any flow less than best effort, without help of the sender.",
    scenario=with_another(60, start="10 s", algorithm="rack+reno"),
    rule=(
        "From 5 s to 10 s the goodput is at least 80 % of the link, and from 20 s to 60 s, with a standard "
        "flow, at most 10 %."
    ),
    why="A slowdown takes some of the first time. The buffer holds eight targets.",
    observe=observe,
    shown=("in_flight_packets", "cwnd_packets", "rtt_s"),
)
