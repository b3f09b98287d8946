"""A flow that comes later gets an equal part."""

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
        trace.goodput_of_link(50.0, 150.0),
        0.35,
        0.65,
    )


CASE = Case(
    number=13,
    section="the paper, 2.2, theorem 2, and 4.2",
    title="A flow that comes later gets an equal part",
    statement="From any rates the senders come to the neighbourhood of the equal ones.",
    scenario=several("100 Mbit/s", 30, 150, {"start": "20 s"}),
    rule=(
        "From 50 to 150 s the first of two flows, which the other joined at 20 s, has 35 to 65 % of the link."
    ),
    why=(
        "The paper's flows converge within some ten seconds over the same path; its flows begin 500 s apart."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
