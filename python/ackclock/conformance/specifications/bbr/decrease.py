"""A tenth of the bandwidth is known after two cycles."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case, Settings
from ackclock.conformance.specifications.bbr.states import (
    CRUISE,
    MAX_BANDWIDTH,
    SHORTTERM_BANDWIDTH,
    STATE,
    UP,
    phases,
)
from ackclock.conformance.specifications.paths import BOTTLENECK, one_flow, stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Outcome, Verdict

__all__ = ["judged", "slower"]

CYCLES = 2
"""The cycles of the filter."""


def slower(trace: Trace) -> Settings | None:
    """The rate falls to a tenth when the flow first cruises after a probe."""
    probes = phases(trace, UP)
    cruises = [phase for phase in trace.phases(STATE) if phase.value == CRUISE]
    cruises = [phase for phase in cruises if probes and phase.begin_s >= probes[0].end_s]
    if not cruises:
        return None
    return {f"{BOTTLENECK}.rate": stepped("100 Mbit/s", (cruises[0].begin_s, "10 Mbit/s"))}


def judged(trace: Trace) -> Iterator[Verdict]:
    """The maximum three round trips after the second probe that ended since the rate fell."""
    step = trace.rate_changed_s()
    probes = [phase for phase in phases(trace, UP) if phase.begin_s > step]
    if len(probes) < CYCLES:
        yield Verdict("the run", f"{len(probes)} probes since the fall", f"{CYCLES}", Outcome.UNDECIDED)
        return
    end = probes[CYCLES - 1].end_s
    later = end + 3 * trace.at("rtt_s", end)
    share = trace.at(MAX_BANDWIDTH, later) / trace.rate_packets_per_s(later)
    yield Verdict.within("max_bw in rates of the link, after two probes", share, 0.5, 1.02)


def observe(trace: Trace) -> Iterator[Verdict]:
    """The bound of the rate after the losses, and the maximum."""
    yield from judged(trace)
    step = trace.rate_changed_s()
    before = trace.at(MAX_BANDWIDTH, step)
    shortterm = float(np.min(trace.during(SHORTTERM_BANDWIDTH, step, step + 1.5)))
    yield Verdict.within("bw_shortterm within 1.5 s in estimates before", shortterm / before, 0.0, 0.5)


CASE = Case(
    number=16,
    section='appendix, "Decreasing Bandwidth 10x and Ensuring Max Bandwidth Adapts Down"; 5.5.3 to 5.5.6',
    title="A tenth of the bandwidth is known after two cycles",
    statement=(
        "When the link becomes ten times slower, losses lower bw_shortterm at once, and the maximum of "
        "two ProbeBW cycles is forgotten with the second."
    ),
    scenario=one_flow("100 Mbit/s", 40, 16),
    then=slower,
    rule=(
        "bw_shortterm is at most half of the estimate within 1.5 s, and max_bw is 0.5 to 1.02 of the new "
        "rate three round trips after the second probe."
    ),
    why=(
        "The filter advances a round trip after a probe, and samples of the round then replace the "
        "maximum. The 2 % are the appendix's of the first case."
    ),
    observe=observe,
    shown=(STATE, MAX_BANDWIDTH, SHORTTERM_BANDWIDTH),
)
