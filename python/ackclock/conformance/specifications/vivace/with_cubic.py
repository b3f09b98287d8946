"""A single flow of CUBIC loses little."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import several
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The share with a flow of CUBIC."""
    yield Verdict.within(
        "goodput with a flow of CUBIC in rates of the link", trace.goodput_of_link(15.0, 60.0), 0.0, 0.6
    )


CASE = Case(
    number=17,
    section="the paper, 4.4 and 5",
    title="A single flow of CUBIC loses little to it",
    statement=(
        "On a link with few other flows the sender minds the delay, and does not take from a flow of CUBIC "
        "what is its part."
    ),
    scenario=several("20 Mbit/s", 48, 60, {"name": "cubic", "algorithm": "rack+cubic"}),
    rule="From 15 to 60 s the flow has at most 60 % of the link.",
    why="Its part is a half. A tenth more is ours.",
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
