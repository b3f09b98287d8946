"""Small changes of the delay are noise."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import path
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput."""
    yield Verdict.within("goodput in rates of the link", trace.goodput_of_link(15.0, 40.0), 0.8, 1.02)


CASE = Case(
    number=16,
    section="the paper, 4.3",
    title="Small changes of the delay are noise",
    statement="Slopes of the delay below 1 % count as noise, so that jitter does not keep the rate down.",
    scenario=path(
        "20 Mbit/s",
        48,
        40,
        impairments=["jitter(uniform=1 ms)"],
    ),
    rule="With up to 1 ms of jitter the goodput from 15 to 40 s is at least 80 % of the link.",
    why="The slope of 80 delays of up to 1 ms over 48 ms has a standard deviation of 0.2 %.",
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s", "rtt_s"),
)
