"""A queue above the target goes away in a few round trips."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.ledbat_plus_plus.slowdowns import TARGET_MS, queueing_ms
from ackclock.conformance.specifications.paths import one_flow, stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

STEP_S = 24.0


def observe(trace: Trace) -> Iterator[Verdict]:
    """The queue right after the rate falls, and a second later."""
    before = queueing_ms(trace, STEP_S, STEP_S + 0.25)
    yield Verdict.within(
        "largest delay after the rate falls, in targets", np.max(before) / TARGET_MS, 1.2, 2.0
    )
    after = queueing_ms(trace, STEP_S + 1.0, STEP_S + 3.0)
    yield Verdict.within("largest delay from a second on, in targets", np.max(after) / TARGET_MS, 0.0, 1.15)


CASE = Case(
    number=12,
    section="the draft, multiplicative decrease",
    title="A queue above the target goes away in a few round trips",
    statement=(
        "Above the target a round trip takes the part of the window by which the delay exceeds it, so that a "
        "queue that a slower link makes is gone in a few round trips, however large the window is."
    ),
    scenario=one_flow(
        stepped("20 Mbit/s", (STEP_S, "15 Mbit/s")),
        40,
        28,
        buffer="800 packets",
        tcp={"segments_per_ack": 1},
        sample="2 ms",
    ),
    rule=(
        "Within 250 ms of the fall of the rate the delay is 1.2 to 2 targets, and from a second on at most "
        "1.15."
    ),
    why=(
        "The link falls by a quarter. A window of 167 packets loses a third in a round trip; a linear "
        "decrease would take minutes."
    ),
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
