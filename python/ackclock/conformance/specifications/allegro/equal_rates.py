"""Two flows that begin together share alike."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import (
    several,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The share of the first flow."""
    yield Verdict.within(
        "goodput of the first of two flows in rates of the link",
        trace.goodput_of_link(30.0, 90.0),
        0.35,
        0.65,
    )


CASE = Case(
    number=12,
    section="the paper, 2.2, theorem 1",
    title="Two flows that begin together share alike",
    statement="The one stable state of several senders has equal rates.",
    scenario=several("20 Mbit/s", 48, 90, {"name": "other"}),
    rule="From 30 to 90 s the first of two flows has 35 to 65 % of the link.",
    why="Each moves by 5 % and more about the equilibrium.",
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
