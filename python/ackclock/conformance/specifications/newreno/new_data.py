"""New data goes during recovery."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.newreno.losses import THREE, sent_again
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Outcome, Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The new packets between the first and the last packet that is sent again."""
    times = sent_again(trace)
    if times.size < 2:
        yield Verdict("packets sent again", f"{times.size}", "two", Outcome.UNDECIDED)
        return
    inside = (trace.sent.time_s > times[0]) & (trace.sent.time_s < times[-1]) & ~trace.sent.is_again
    yield Verdict.within("new packets during recovery", int(inside.sum()), 15, np.inf)


CASE = Case(
    number=5,
    section="RFC 6582, 3.2, step 3; RFC 5681, 3.2, steps 4 and 5",
    title="New data goes during recovery",
    statement="Duplicates inflate the window, so that new segments go while losses are repaired.",
    scenario=THREE,
    rule="Between the first and the last packet that is sent again at least fifteen new ones go.",
    why="Two round trips lie between, in each of which some twenty duplicates come back at half the window.",
    observe=observe,
    shown=("in_flight_packets", "retransmissions"),
)
