"""A faster link is filled in a few round trips."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow, stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

STEP_S = 5.0


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput before the rate rises, and a second after."""
    before = trace.goodput_packets_per_s(3.0, STEP_S) / trace.rate_packets_per_s(4.0)
    yield Verdict.within("goodput before in rates of the link", before, 0.95, 1.01)
    after = trace.goodput_of_link(STEP_S + 1.0, STEP_S + 2.0)
    yield Verdict.within("goodput a second after the rise in rates of the link", after, 0.8, 1.01)


CASE = Case(
    number=8,
    section="the paper, 2.1 (velocity)",
    title="A faster link is filled in a few round trips",
    statement=(
        "The velocity doubles while the direction stays the same, so that four times the rate is found in a "
        "number of round trips that grows with its logarithm."
    ),
    scenario=one_flow(
        stepped("10 Mbit/s", (STEP_S, "40 Mbit/s")),
        40,
        8,
        buffer="500 packets",
        tcp={"segments_per_ack": 1},
        sample="2 ms",
    ),
    rule="One to two seconds after the rate rises to four times the goodput is at least 80 % of the link.",
    why=(
        "Some ten round trips of 40 ms suffice; a velocity of one would add two packets in each, 50 in a "
        "second."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s"),
)
