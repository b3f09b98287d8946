"""The sender knows how many packets are marked."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.prague.l4s import ALPHA, L4S, MARK, SETTLED_S
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The estimate, and the share of packets that the link marked."""
    behind = trace.watched(2)
    share = float((behind.ecn[behind.time_s > SETTLED_S] == MARK).mean())
    alpha = float(np.nanmean(trace.gauge(ALPHA)[trace.time_s > SETTLED_S]))
    yield Verdict.within("mean alpha in shares of marked packets", alpha / share, 0.85, 1.15)


CASE = Case(
    number=2,
    section="RFC 9331, 4.2; A.1.2",
    title="The sender knows how many packets are marked",
    statement=(
        "The transport reports the extent of marking, and not its presence alone, so that the estimate of "
        "the sender is the share that the link marks."
    ),
    scenario=L4S,
    rule=(
        "From 4 s on the mean of alpha is 0.85 to 1.15 of the share of packets that leave the link with a "
        "mark."
    ),
    why="Alpha is a mean over some sixteen round trips of 30 ms, and begins before the span.",
    observe=observe,
    shown=(ALPHA, "cwnd_packets"),
)
