"""The phases of a slow start by HyStart++, and the paths of its cases."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.specifications.paths import one_flow, stepped
from ackclock.conformance.trace import Phase, Trace, first
from ackclock.measures.verdict import Outcome, Verdict

__all__ = [
    "CONSERVATIVE",
    "FILLING",
    "LONGER",
    "begins_soon",
    "conservative",
    "never_begins",
    "never_conservative",
]

CONSERVATIVE = "hystart_conservative"

FILLING = one_flow("50 Mbit/s", 100, 3, buffer="1600 packets", tcp={"segments_per_ack": 1})
"""A pipe of 417 packets and a buffer of four of them, which a slow start alone would overfill."""

LONGER = one_flow(
    "900 Mbit/s",
    100,
    3,
    buffer="9000 packets",
    tcp={"segments_per_ack": 1},
    delay=stepped("48 ms", (0.25, "66 ms")),
)
"""A pipe that stays empty and becomes 18 ms longer each way: no queue hides the growth of a round."""


def conservative(trace: Trace) -> list[Phase]:
    """The times in conservative slow start that ended before the run did."""
    return [phase for phase in trace.phases(CONSERVATIVE) if phase.value == 1 and phase.is_whole]


def never_conservative() -> Verdict:
    """The open verdict on a run without conservative slow start."""
    return Verdict("the run", "no conservative slow start that ends", "one", Outcome.UNDECIDED)


def never_begins(trace: Trace) -> Iterator[Verdict]:
    """The verdict that conservative slow start never begins."""
    yield Verdict.same("conservative slow start", float(np.nanmax(trace.gauge(CONSERVATIVE))), 0.0)


def begins_soon(trace: Trace) -> Iterator[Verdict]:
    """The verdict that conservative slow start begins within two round trips of the first longer one."""
    longer = trace.time_s[trace.series("rtt_s") > 1.04 * trace.path_rtt_s]
    begun = trace.time_s[trace.gauge(CONSERVATIVE) == 1]
    if not begun.size:
        yield Verdict("conservative slow start", "it never begins", "it begins", Outcome.FAILS)
        return
    waited = (float(begun[0]) - first(longer, "a longer round trip")) / trace.path_rtt_s
    yield Verdict.within("round trips from the first longer one to its beginning", waited, 0.0, 2.0)
