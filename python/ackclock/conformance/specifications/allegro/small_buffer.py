"""A buffer of six packets suffices."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import (
    path,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput."""
    yield Verdict.within("goodput in rates of the link", trace.goodput_of_link(5.0, 20.0), 0.9, 1.01)


CASE = Case(
    number=14,
    section="the paper, 4.1 (shallow buffers)",
    title="A buffer of six packets suffices",
    statement=(
        "Over 100 Mbit/s and 30 ms the sender needs a buffer of six packets to reach 90 % of the link."
    ),
    scenario=path("100 Mbit/s", 30, 20, buffer="6 packets"),
    rule="From 5 to 20 s the goodput is at least 90 % of the link.",
    why="The numbers are the paper's.",
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
