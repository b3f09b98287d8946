"""One packet in a hundred lost is tolerated."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import path
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput."""
    yield Verdict.within("goodput in rates of the link", trace.goodput_of_link(15.0, 40.0), 0.8, 1.0)


CASE = Case(
    number=10,
    section="the paper, 3.2",
    title="One packet in a hundred lost at random is tolerated",
    statement=(
        "With the weight 11.35 of losses a sender tolerates random losses of up to 5 % at 100 Mbit/s: the "
        "utility still grows with the rate."
    ),
    scenario=path("100 Mbit/s", 30, 40, loss={"bernoulli": 0.01}),
    rule="From 15 to 40 s the goodput is at least 80 % of the link.",
    why=(
        "The derivative 0.9 x^-0.1 is 0.57 at 100 Mbit/s, and 11.35 times 1 % is 0.11. 80 % leave room for "
        "trials that chance decides."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
