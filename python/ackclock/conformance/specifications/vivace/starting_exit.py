"""The start ends with the rate before the fall."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import path
from ackclock.conformance.specifications.vivace.rates import RATE, STARTING
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The rate after the start, in the last one of it."""
    phases = [each for each in trace.phases(STARTING) if each.value == 1]
    end_s = phases[0].end_s
    ratio = trace.at(RATE, end_s) / trace.at(RATE, end_s - 0.002)
    yield Verdict.near("first rate after the start in the last of it", ratio, 0.5, 0.001)
    yield Verdict.same("starts", len(phases), 1)


CASE = Case(
    number=2,
    section="the paper, 4",
    title="The start ends with the rate before the fall",
    statement=(
        "When the utility falls the sender takes the rate before, and learns from gradients from then on. "
        "The start never comes back."
    ),
    scenario=path("100 Mbit/s", 60, 20),
    rule="The first rate after the start is half of its last one, and the start does not begin again.",
    why="The rate doubles when a result is in, so that the last rate is the one whose utility fell.",
    observe=observe,
    shown=(STARTING, RATE),
)
