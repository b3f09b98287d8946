"""Slow start ends before the buffer overflows."""

import math
from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The losses and the largest window."""
    yield Verdict.same("lost packets", len(trace.losses()), 0)
    largest = float(trace.series("cwnd_packets").max())
    yield Verdict.within("largest window in packets", largest, 50, math.inf)


CASE = Case(
    number=2,
    section="tcp_cdg.c, hybrid slow start",
    title="Slow start ends before the buffer overflows",
    statement=(
        "Linux' module ends slow start by the delay or by a train of acknowledgments, to make overshoot "
        "less probable."
    ),
    scenario=one_flow("20 Mbit/s", 60, 4, buffer="100 packets", tcp={"segments_per_ack": 1}),
    rule="In the first 4 s no packet is lost, and the window reaches 50 packets.",
    why=(
        "The buffer holds one bandwidth-delay product, which standard slow start overflows in the eighth "
        "round trip."
    ),
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", "rtt_s"),
)
