"""Losses alone slow nothing down."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.copa.alone import DELTA
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput with one packet in a hundred lost."""
    rate = trace.goodput_of_link(3.0, 15.0)
    yield Verdict.within("goodput in rates of the link", rate, 0.9, 1.0)


CASE = Case(
    number=5,
    section="the paper, 2.2 and 5.4",
    title="In the default mode losses alone slow nothing down",
    statement=(
        "The default mode has no response to losses: one packet in a hundred at random leaves the link full."
    ),
    scenario=one_flow(
        "20 Mbit/s", 40, 15, buffer="500 packets", tcp={"segments_per_ack": 1}, loss={"bernoulli": 0.01}
    ),
    rule="From 3 s to 15 s the goodput is at least 90 % of the link.",
    why=(
        "One in a hundred is lost, and the repair takes some of the window. Standard TCP has a fifth of the "
        "link."
    ),
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", DELTA),
)
