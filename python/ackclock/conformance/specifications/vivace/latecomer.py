"""A flow that comes later gets an equal part."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import several
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The share of the first flow."""
    yield Verdict.within(
        "goodput of the first of two flows in rates of the link",
        trace.goodput_of_link(50.0, 120.0),
        0.35,
        0.65,
    )


CASE = Case(
    number=9,
    section="the paper, 3.1, theorem 1, and 5",
    title="A flow that comes later gets an equal part",
    statement="From any rates the senders converge to equal ones, and quickly.",
    scenario=several("100 Mbit/s", 30, 120, {"start": "20 s"}, buffer="51 packets"),
    rule=(
        "From 50 to 120 s the first of two flows, which the other joined at 20 s, has 35 to 65 % of the link."
    ),
    why="The path, with a buffer of 75 kB, is that of the paper's figure.",
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
