"""The receiver drains the queue from time to time."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rledbat.receivers import (
    ALONE,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The times of small flights."""
    losses = trace.losses()
    yield Verdict.same("packets lost", int((losses > 10.0).sum()), 0)
    small = trace.time_s[(trace.series("in_flight_packets") <= 2) & (trace.time_s > 10.0)]
    apart = 1 + int((np.diff(small) > 0.5).sum()) if small.size else 0
    yield Verdict.within("times of at most two packets in flight", apart, 3, 60)


CASE = Case(
    number=6,
    section="RFC 9840, 4; LEDBAT++, periodic slowdowns",
    title="The receiver drains the queue from time to time",
    statement=(
        "Slowdowns of the receiver's window take what is in flight down to two packets, so that it "
        "measures the path without its own queue."
    ),
    scenario=ALONE,
    rule=(
        "From 10 s to 40 s at most two packets are in flight at three times at least, half a second apart "
        "or more, without any loss."
    ),
    why="Slowdowns take a tenth of the time, and last some 0.5 to 1 s with the return.",
    observe=observe,
    shown=("in_flight_packets", "cwnd_packets", "rtt_s"),
)
