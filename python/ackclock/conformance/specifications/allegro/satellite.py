"""A satellite link with losses is used."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import (
    path,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput."""
    yield Verdict.within("goodput in rates of the link", trace.goodput_of_link(20.0, 100.0), 0.85, 1.0)


CASE = Case(
    number=15,
    section="the paper, 4.1 (satellite links)",
    title="A satellite link with losses is used",
    statement=(
        "Over 42 Mbit/s and 800 ms with 0.74 % of packets lost at random, and a buffer of five packets, "
        "the sender has 90 % of the link."
    ),
    scenario=path("42 Mbit/s", 800, 100, buffer="5 packets", loss={"bernoulli": 0.0074}, sample="10 ms"),
    rule="From 20 to 100 s the goodput is at least 85 % of the link.",
    why="The paper's runs take 100 s with their beginning; its 90 % are of the figure.",
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
