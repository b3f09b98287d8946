"""A round trip takes half of the window at most."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow, stepped
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

STEP_S = 24.0


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window after as many acknowledgments as it had packets."""
    before = window_at(trace, STEP_S)
    took = before / trace.rate_packets_per_s(STEP_S + 0.1)
    share = window_at(trace, STEP_S + 0.1 + 0.9 * took) / before
    yield Verdict.within("window a round trip after the rate falls, as a share", share, 0.45, 0.7)
    late = trace.during("cwnd_packets", STEP_S + 5.0, STEP_S + 8.0)
    yield Verdict.within("smallest window later, as a share", float(np.min(late)) / before, 0.0, 0.2)


CASE = Case(
    number=13,
    section="the draft, multiplicative decrease",
    title="A round trip takes half of the window at most",
    statement=(
        "However far the delay is above the target, a round trip of data takes half of the window at most."
    ),
    scenario=one_flow(
        stepped("10 Mbit/s", (STEP_S, "1 Mbit/s")),
        40,
        32,
        buffer="800 packets",
        tcp={"segments_per_ack": 1},
        sample="2 ms",
    ),
    rule=(
        "After nine tenths of a window's acknowledgments the window is 0.45 to 0.7 of what it was, and at "
        "most 0.2 from 5 s to 8 s later."
    ),
    why=(
        "The delay is some sixteen targets. Each acknowledgment takes half of a packet, which leaves 0.55; "
        "the delay is known 0.1 s late."
    ),
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
