"""A faster link is filled in seconds."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import path
from ackclock.conformance.specifications.paths import stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput after the rise."""
    yield Verdict.within(
        "goodput after the rise in rates of the link", trace.goodput_of_link(20.0, 25.0), 0.8, 1.02
    )


CASE = Case(
    number=13,
    section="the paper, 4.2 and 5",
    title="A faster link is filled in seconds",
    statement=(
        "The confidence amplifier and the boundary let the rate follow a link that becomes faster within "
        "seconds."
    ),
    scenario=path(stepped("20 Mbit/s", (15.0, "80 Mbit/s")), 40, 30, buffer="400 packets"),
    rule=("From 5 to 10 s after the rate has risen to four times, the goodput is at least 80 % of the link."),
    why=(
        "Steps of 5, 15, 25 % and so on multiply the rate by four in some seven decisions of three round "
        "trips, and chance may begin twice. Five seconds are ours."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
