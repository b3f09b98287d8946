"""An interval without results halves the rate."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import path
from ackclock.conformance.specifications.vivace.rates import RATE
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The rate after the outage in that before."""
    ratio = trace.at(RATE, 17.0) / trace.at(RATE, 15.0)
    yield Verdict.within("rate at the end of the outage in that before", ratio, 0.0, 0.55)


CASE = Case(
    number=15,
    section="the paper, 4.3",
    title="An interval without results halves the rate",
    statement="Where the results of an interval do not come for the time of a timeout, the rate is halved.",
    scenario=path(
        "20 Mbit/s", 48, 24, outage={"spans": [["15.1 s", "17.1 s"]]}, flow={"start_jitter": "100 ms"}
    ),
    rule="At the end of an outage of 2 s, the rate is at most 0.55 of that before.",
    why="The timeout is the transport's, a second at least.",
    observe=observe,
    shown=(RATE, "in_flight_packets"),
)
