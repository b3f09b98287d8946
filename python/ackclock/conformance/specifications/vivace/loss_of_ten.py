"""Ten packets in a hundred lost are too many."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import path
from ackclock.conformance.specifications.paths import stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput before the losses and with them."""
    yield Verdict.within("goodput before in rates of the link", trace.goodput_of_link(10.0, 15.0), 0.85, 1.01)
    yield Verdict.within(
        "goodput with the losses in rates of the link", trace.goodput_of_link(40.0, 60.0), 0.0, 0.1
    )


CASE = Case(
    number=12,
    section="the paper, 3.2",
    title="Losses of 10 % take the rate down",
    statement=(
        "Above the loss rate that is tolerated the rate falls until the derivative of its utility is the "
        "price of the losses: at 10 % that is 0.1 Mbit/s."
    ),
    scenario=path("20 Mbit/s", 48, 60, loss={"schedule": stepped(0.0, (15.0, 0.1))}),
    rule=(
        "From 40 to 60 s, 25 s after a tenth of the packets began to be lost, the goodput is at most a "
        "tenth of the link."
    ),
    why=(
        "0.9 x^-0.1 is 1.135 at 0.1 Mbit/s. A step takes 5 % and more, and needs two round trips: 25 s are "
        "250 of them."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
