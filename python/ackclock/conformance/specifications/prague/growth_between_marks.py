"""The window grows in round trips with marks too."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.prague.l4s import L4S, reductions
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Outcome, Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth in the round trip after each reduction that none follows."""
    growth = []
    for before, after in pairwise(reductions(trace)):
        trip = trace.at("rtt_s", before.time_s)
        if after.time_s > before.time_s + 1.1 * trip:
            growth.append(window_at(trace, before.time_s + trip) - before.after)
    if len(growth) < 10:
        yield Verdict("round trips after a reduction", f"{len(growth)}", "ten", Outcome.UNDECIDED)
        return
    yield Verdict.within("median growth in packets", float(np.median(growth)), 0.35, 1.1)


CASE = Case(
    number=16,
    section="draft-briscoe-iccrg-prague-congestion-control-04, 2.3.3",
    title="The window grows in round trips with marks too",
    statement=(
        "Each packet without a mark adds its part of a packet per round trip, right after a reduction too, "
        "where DCTCP pauses for a round trip."
    ),
    scenario=L4S,
    rule="In the round trip after a reduction the window grows by 0.35 to 1.1 packets, in the median.",
    why=(
        "Some packets of that round trip are marked, and count for nothing. A pause would leave next to "
        "nothing."
    ),
    observe=observe,
    shown=("cwnd_packets", "rtt_s"),
)
