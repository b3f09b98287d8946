"""The example of the draft."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import client, one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The largest window where flights are four packets, less than half of the initial window."""
    window = trace.series("cwnd_packets")
    yield Verdict.within("window at the end in packets", float(window[-1]), 20.0, 20.0)
    flight = float(np.max(trace.series("in_flight_packets")))
    yield Verdict.within("largest flight in packets", flight, 3.0, 4.0)


CASE = Case(
    number=5,
    section="the draft, 3 and appendix A",
    title="The initial window counts as a flight",
    statement=(
        "The largest flight begins with the initial window of ten segments, so that a sender with flights of "
        "four grows its window to twenty, and no further."
    ),
    scenario=one_flow(
        "100 Mbit/s",
        50,
        4,
        buffer="1000 packets",
        flow=client({"constant": "4 packets"}, "1 ms"),
        tcp={"segments_per_ack": 1},
    ),
    rule="With flights of 4 packets the window at the end is 20 packets.",
    why="The rule is exact: 2 maxFS, as in the example after its second round.",
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets"),
)
