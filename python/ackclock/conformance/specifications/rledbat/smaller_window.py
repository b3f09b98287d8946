"""The smaller of both windows counts."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rledbat.receivers import (
    path,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The largest flight, and its median."""
    flight = trace.series("in_flight_packets")
    yield Verdict.within("largest flight in packets", float(flight.max()), 10, 20)
    yield Verdict.within("median flight in packets", float(np.median(flight[trace.time_s > 5.0])), 18, 20)


CASE = Case(
    number=8,
    section="RFC 9840, 4.1",
    title="The receiver announces the smaller of two windows",
    statement=(
        "The announced window is the smaller of RLWND and the room in the buffer, so that flow control "
        "goes on as ever."
    ),
    scenario=path(20, tcp={"segments_per_ack": 1, "timestamps": True, "receive_window": "20 packets"}),
    rule=(
        "With a buffer of 20 packets at the receiver, at most 20 packets are in flight at any time, and 18 "
        "or more for half of the time from 5 s on."
    ),
    why=(
        "The bandwidth-delay product is 33 packets, so that there is no queue, and RLWND is no bound but "
        "in slowdowns."
    ),
    observe=observe,
    shown=("in_flight_packets", "cwnd_packets", "rtt_s"),
)
