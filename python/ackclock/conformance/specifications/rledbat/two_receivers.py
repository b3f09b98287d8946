"""Two receivers share alike."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rledbat.receivers import (
    CONTROLLED,
    with_another,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The share of the first flow."""
    yield Verdict.within(
        "goodput of the first flow in rates of the link", trace.goodput_of_link(60.0, 120.0), 0.25, 0.75
    )


CASE = Case(
    number=5,
    section="RFC 9840, 4; LEDBAT++, abstract",
    title="Two receivers share alike",
    statement="Flows of such receivers share the link, also if one begins on the queue of the other.",
    scenario=with_another(120, start="20 s", tcp=dict(CONTROLLED)),
    rule="From 60 s to 120 s the first of two flows has 25 to 75 % of the link.",
    why="The cycles of slowdowns differ, so that shares move; the rule is that of LEDBAT++ at senders.",
    observe=observe,
    shown=("in_flight_packets", "cwnd_packets", "rtt_s"),
)
