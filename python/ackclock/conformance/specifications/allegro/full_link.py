"""Alone the flow uses the link."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import (
    ALONE,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput."""
    yield Verdict.within("goodput in rates of the link", trace.goodput_of_link(10.0, 20.0), 0.95, 1.01)


CASE = Case(
    number=7,
    section="the paper, 2.2 and 4.1",
    title="Alone the flow uses the link",
    statement="In equilibrium the rate is between that of the link and twenty nineteenths of it.",
    scenario=ALONE,
    rule="From 10 to 20 s the goodput is at least 95 % of the link.",
    why=(
        "Headers are 2.7 % of a packet, and the goodput is in packets. Trials are 1 to 5 % below the rate "
        "half of the time."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
