"""A small buffer suffices."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import path
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput."""
    yield Verdict.within("goodput in rates of the link", trace.goodput_of_link(15.0, 40.0), 0.9, 1.02)


CASE = Case(
    number=7,
    section="the paper, 3.1, theorem 2, and 5",
    title="A small buffer suffices",
    statement=(
        "Since there is no queue in equilibrium, a buffer much smaller than the bandwidth-delay product "
        "suffices."
    ),
    scenario=path("100 Mbit/s", 30, 40, buffer="25 packets"),
    rule=(
        "With a buffer of a tenth of the bandwidth-delay product of 100 Mbit/s and 30 ms the goodput from "
        "15 to 40 s is at least 90 % of the link."
    ),
    why="A trial at 5 % more for a round trip queues 5 % of the product.",
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
