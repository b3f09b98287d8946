"""After a reduction the largest flight is counted anew."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import BOTTLENECK, client, one_flow
from ackclock.conformance.specifications.windows import lost
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Outcome, Verdict

RESPONSE = 20


def its_fifth(_: object) -> dict[str, object]:
    """A packet in the middle of the fifth response is lost."""
    return {f"{BOTTLENECK}.loss": lost(4 * RESPONSE + 8)}


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window at the end, next to the flights after the loss."""
    again = trace.time_s[trace.series("retransmissions") > 0]
    if not again.size:
        yield Verdict("the run", "nothing was sent again", "a packet", Outcome.UNDECIDED)
        return
    late = trace.time_s > float(again[0]) + 1.0
    flight = float(np.max(trace.series("in_flight_packets")[late]))
    window = float(np.max(trace.series("cwnd_packets")[late]))
    yield Verdict.within("largest window after the loss, less the largest flight", window - flight, 0.0, 1.0)


CASE = Case(
    number=6,
    section="the draft, 3",
    title="After a reduction the largest flight is counted anew",
    statement=(
        "A reduction of the window sets the largest flight to zero, so that flights before it allow no "
        "growth after it: in congestion avoidance the window stays a segment above the flights that follow."
    ),
    scenario=one_flow(
        "100 Mbit/s",
        50,
        8,
        buffer="1000 packets",
        flow=client({"table": {"packets": [RESPONSE]}}, "1 ms"),
        tcp={"segments_per_ack": 1},
    ),
    then=its_fifth,
    rule="From a second after the loss on the largest window is at most one packet above the largest flight.",
    why="The window was twice the flight of 20 before. The limit is the draft's.",
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", "in_flight_packets"),
)
