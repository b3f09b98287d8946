"""Losses that are not of congestion are tolerated."""

import math
from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.cdg.backoffs import (
    GRADIENT,
)
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput in those of the response function."""
    standard = math.sqrt(1.5 / 0.01) / trace.path_rtt_s
    goodput = trace.goodput_packets_per_s(5.0, 60.0) / standard
    yield Verdict.within("goodput in those of standard TCP", goodput, 1.5, 20.0)


CASE = Case(
    number=14,
    section="the paper, abstract and 3.3",
    title="Losses that are not of congestion are tolerated",
    statement=(
        "A loss without signs of a full queue leaves the window: with 1 % of packets lost the goodput is "
        "86 % better than that of NewReno."
    ),
    scenario=one_flow(
        "20 Mbit/s", 60, 60, buffer="200 packets", tcp={"segments_per_ack": 1}, loss={"bernoulli": 0.01}
    ),
    rule=(
        "From 5 to 60 s the goodput is at least 1.5 times that of standard TCP by its response function, "
        "1.22 packets in a round trip over the root of the loss rate."
    ),
    why="The paper's 86 % are of another path. Standard TCP has an eighth of this link.",
    observe=observe,
    shown=("cwnd_packets", GRADIENT),
)
