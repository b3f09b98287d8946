"""The phases of a slow start by HyStart++, and the paths of its cases."""

from __future__ import annotations

from ackclock.conformance.specifications.paths import one_flow, stepped
from ackclock.conformance.trace import Phase, Trace
from ackclock.measures.verdict import Outcome, Verdict

__all__ = ["CONSERVATIVE", "FILLING", "LONGER", "conservative", "never_conservative"]

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
