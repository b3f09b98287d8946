"""Packets that overtake others are not taken for losses."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rack.reordered import out_of_order, overtaking
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The packets that came late, and those sent again."""
    yield Verdict.within("packets that arrived late", out_of_order(trace), 6, np.inf)
    yield Verdict.same("packets sent again", int(trace.sent.is_again.sum()), 0)


CASE = Case(
    number=3,
    section="RFC 8985, 3.3.1 and 6.2, step 4",
    title="Reordering within a quarter of a round trip is no loss",
    statement=(
        "Once reordering was seen, three segments that arrive early are no sign of a loss: the sender waits "
        "for the reordering window, however many packets overtake one."
    ),
    scenario=overtaking(),
    rule="At least six packets arrive late, and nothing is sent again.",
    why=(
        "The path becomes 2 ms shorter first, where two packets overtake, which shows the reordering, and "
        "then 12 ms, where ten do. Both are less than a quarter of 90 ms."
    ),
    observe=observe,
    shown=("rtt_s", "retransmissions"),
)
