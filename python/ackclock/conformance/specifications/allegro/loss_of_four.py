"""Four packets in a hundred lost are tolerated."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import (
    path,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput."""
    yield Verdict.within("goodput in rates of the link", trace.goodput_of_link(10.0, 40.0), 0.8, 0.97)


CASE = Case(
    number=9,
    section="the paper, 2.2",
    title="Four packets in a hundred lost at random are tolerated",
    statement=(
        "The utility falls steeply from a loss rate of 5 % on, and not below it, so that a rate pays up to "
        "that of the link."
    ),
    scenario=path("20 Mbit/s", 48, 40, loss={"bernoulli": 0.04}),
    rule="From 10 to 40 s the goodput is at least 80 % of the link.",
    why=(
        "Four in a hundred are lost. An interval has some 160 packets, of which 6.4 are lost with a "
        "deviation of 2.5, so that some intervals are beyond 5 % by chance."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
