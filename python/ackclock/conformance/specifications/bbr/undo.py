"""The bounds and the state that a spurious recovery leaves behind."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ackclock.conformance.specifications.bbr.states import (
    LONGTERM,
    MAX_BANDWIDTH,
    NAMES,
    REFILL,
    SHORTTERM,
    SHORTTERM_BANDWIDTH,
    STATE,
    UP,
    phases,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Outcome, Verdict

__all__ = ["probe_s", "restored"]


def probe_s(trace: Trace) -> float | None:
    """A quarter into the first probe; None without one."""
    probes = phases(trace, UP)
    return probes[0].begin_s + probes[0].length_s / 4 if probes else None


def restored(trace: Trace, within_s: float) -> Iterator[Verdict]:
    """The state and the bounds some time after the first packet that is sent again."""
    again = np.flatnonzero(trace.series("retransmissions") > 0)
    if not again.size:
        yield Verdict("the run", "nothing was sent again", "a spurious recovery", Outcome.UNDECIDED)
        return
    begin = float(trace.time_s[again[0]])
    before = begin - 0.05
    yield Verdict.same("packets dropped", len(trace.losses()), 0)
    states = trace.during(STATE, begin, begin + within_s)
    found = ", ".join(NAMES[int(state)] for state in dict.fromkeys(states.tolist()))
    is_back = bool(np.isin(states, (REFILL, UP)).any()) or trace.at(STATE, before) != UP
    yield Verdict.decided("states after the recovery begins", found, "UP or REFILL among them", is_back)
    after = begin + within_s
    for name, what in (
        (LONGTERM, "inflight_longterm"),
        (SHORTTERM, "inflight_shortterm"),
        (SHORTTERM_BANDWIDTH, "bw_shortterm"),
    ):
        was, now = trace.at(name, before), trace.at(name, after)
        yield Verdict.decided(f"{what} after", f"{now:.4g}", f"at least {was:.4g}, as before", now >= was)
    estimate = trace.at(MAX_BANDWIDTH, after) / trace.at(MAX_BANDWIDTH, before)
    yield Verdict.within("max_bw after, in values before", estimate, 0.98, math.inf)
    rate = trace.goodput_of_link(after, after + 1.0)
    yield Verdict.within("goodput in the second after, in rates of the link", rate, 0.85, 1.02)
