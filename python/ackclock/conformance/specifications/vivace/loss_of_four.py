"""Four packets in a hundred lost are tolerated."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import path
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput."""
    yield Verdict.within("goodput in rates of the link", trace.goodput_of_link(30.0, 60.0), 0.8, 0.97)


CASE = Case(
    number=11,
    section="the paper, 3.2",
    title="Four packets in a hundred lost at random are tolerated",
    statement="With the weight 11.35 of losses a sender tolerates random losses of up to 5 % at 100 Mbit/s.",
    scenario=path("100 Mbit/s", 30, 60, loss={"bernoulli": 0.04}),
    rule="From 30 to 60 s the goodput is at least 80 % of the link.",
    why=(
        "The derivative of the rate's utility is 0.57 at 100 Mbit/s and more below it, and 11.35 times 4 % "
        "is 0.45: more is better up to the rate of the link."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
