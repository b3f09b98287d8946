"""One packet in a hundred lost costs nothing more."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import (
    path,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput."""
    yield Verdict.within("goodput in rates of the link", trace.goodput_of_link(5.0, 20.0), 0.93, 1.0)


CASE = Case(
    number=8,
    section="the paper, 2.2 and 4.1 (unreliable lossy links)",
    title="One packet in a hundred lost at random costs nothing more",
    statement=(
        "Below 5 % losses hardly change the utility: a link that loses one packet in a hundred stays full."
    ),
    scenario=path("100 Mbit/s", 30, 20, loss={"bernoulli": 0.01}),
    rule="From 5 to 20 s the goodput is at least 93 % of the link.",
    why="One in a hundred is lost. The path is that of the paper's figure.",
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
