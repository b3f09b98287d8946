"""Delays are those of round trips."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow, stepped
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

STEP_S = 12.0


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window before acknowledgments take longer, and a second after."""
    share = window_at(trace, STEP_S + 1.5) / window_at(trace, STEP_S - 0.1)
    yield Verdict.within("window after acknowledgments take 90 ms longer, as a share", share, 0.0, 0.35)


CASE = Case(
    number=18,
    section="the draft, round trips in place of one-way delays",
    title="Delays are those of round trips",
    statement=(
        "The sender measures round trips, so that a delay on the way of the acknowledgments counts too."
    ),
    scenario=one_flow(
        "10 Mbit/s",
        40,
        15,
        buffer="400 packets",
        tcp={"segments_per_ack": 1},
        reverse={"rate": "10 Mbit/s", "delay": stepped("18 ms", (STEP_S, "108 ms"))},
    ),
    rule="1.5 s after the way back becomes 90 ms longer the window is at most 0.35 of what it was.",
    why=(
        "The delay is two and a half targets, of which half of the window goes in each round trip. A sender "
        "that measures one way sees nothing."
    ),
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
