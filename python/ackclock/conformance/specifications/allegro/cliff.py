"""Ten in a hundred lost end the flow's interest."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import (
    path,
)
from ackclock.conformance.specifications.paths import stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput before the losses and with them."""
    yield Verdict.within("goodput before in rates of the link", trace.goodput_of_link(6.0, 10.0), 0.8, 1.01)
    yield Verdict.within(
        "goodput with the losses in rates of the link", trace.goodput_of_link(30.0, 40.0), 0.0, 0.25
    )


CASE = Case(
    number=10,
    section="the paper, 2.2",
    title="Losses of 10 % take the rate down",
    statement="Above a loss rate of 7.4 % the utility is negative, and a lower rate is always better.",
    scenario=path("20 Mbit/s", 48, 40, loss={"schedule": stepped(0.0, (10.0, 0.1))}),
    rule=(
        "From 30 to 40 s, twenty seconds after a tenth of the packets began to be lost, the goodput is at "
        "most a quarter of the link."
    ),
    why="Each decision takes 1 % or more, and rows of them steps that grow.",
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
