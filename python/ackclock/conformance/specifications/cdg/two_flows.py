"""Two flows share alike."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.cdg.backoffs import (
    with_another,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The share of the first flow."""
    rate = trace.goodput_of_link(30.0, 90.0)
    yield Verdict.within("goodput of the first of two flows in rates of the link", rate, 0.35, 0.65)


CASE = Case(
    number=10,
    section="the paper, abstract and 4",
    title="Two flows share alike",
    statement="Flows of CDG share the capacity fairly among themselves, whichever began first.",
    scenario=with_another(90, start="10 s"),
    rule="From 30 s to 90 s the first flow has 35 to 65 % of the link.",
    why="Back-offs are drawn by chance, so that shares move about the half.",
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
