"""Delayed acknowledgments do not spoil the estimate."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.dctcp.marking import ALPHA, THRESHOLD
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

MARK = 3
"""The bits of the ECN field."""


def observe(trace: Trace) -> Iterator[Verdict]:
    """The estimate, and the share of packets that the link marked."""
    behind = trace.watched(0)
    share = float((behind.ecn[behind.time_s > 1.0] == MARK).mean())
    alpha = float(np.nanmean(trace.gauge(ALPHA)[trace.time_s > 1.0]))
    yield Verdict.within("mean alpha in shares of marked packets", alpha / max(share, 1e-9), 0.8, 1.25)


CASE = Case(
    number=11,
    section="RFC 8257, 3.2",
    title="Delayed acknowledgments do not spoil the estimate",
    statement=(
        "The receiver acknowledges at once where marks begin or end, so that the sender knows the share of "
        "marked data also with an acknowledgment for every second packet."
    ),
    scenario=one_flow(
        "100 Mbit/s",
        20,
        6,
        buffer="500 packets",
        ecn_threshold=f"{THRESHOLD} packets",
        watch=("left->right",),
    ),
    rule=(
        "From 1 s on the mean of alpha is 0.8 to 1.25 of the share of packets that leave the link with a "
        "mark."
    ),
    why="Alpha is the mean of a window's share over windows, of which larger ones have more packets.",
    observe=observe,
    shown=(ALPHA, "cwnd_packets"),
)
