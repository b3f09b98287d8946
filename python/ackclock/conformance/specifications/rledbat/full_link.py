"""Alone the flow uses the link."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rledbat.receivers import (
    ALONE,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput."""
    yield Verdict.within("goodput in rates of the link", trace.goodput_of_link(10.0, 40.0), 0.85, 1.01)


CASE = Case(
    number=2,
    section="RFC 9840, 1",
    title="Alone the flow uses the link",
    statement="A less-than-best-effort flow uses what no other flow does.",
    scenario=ALONE,
    rule="From 10 s to 40 s the goodput is at least 85 % of the link.",
    why="Slowdowns take a tenth of the time at most.",
    observe=observe,
    shown=("in_flight_packets", "cwnd_packets", "rtt_s"),
)
