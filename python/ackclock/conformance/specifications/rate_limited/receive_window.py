"""A receiver's window limits growth as an application does."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The largest window and flight."""
    flight = float(np.max(trace.series("in_flight_packets")))
    yield Verdict.within("largest flight in packets", flight, 23.0, 24.0)
    window = float(np.max(trace.series("cwnd_packets")))
    yield Verdict.within("largest window in largest flights", window / flight, 1.9, 2.05)


CASE = Case(
    number=7,
    section="the draft, 1 and 3",
    title="A receiver's window limits growth as an application does",
    statement=(
        "A sender whose receiver has room for 24 segments grows its window to 48 in slow start, and no "
        "further."
    ),
    scenario=one_flow(
        "100 Mbit/s",
        50,
        4,
        buffer="1000 packets",
        tcp={"segments_per_ack": 1, "receive_window": "24 packets"},
    ),
    rule="The largest flight is 24 packets, and the largest window 1.9 to 2.05 of it.",
    why="The limit is the draft's; the flight is sampled each millisecond.",
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets"),
)
