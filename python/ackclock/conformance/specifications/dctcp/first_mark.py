"""The first mark halves the window."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.dctcp.marking import ALPHA, MARKING
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Outcome, Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The first estimate."""
    yield Verdict.near("first alpha", float(trace.gauge(ALPHA)[0]), 1.0, 1e-9)
    yield from outside(trace)


def outside(trace: Trace) -> Iterator[Verdict]:
    """The share of the window that the first mark leaves."""
    window = trace.series("cwnd_packets")
    falls = np.flatnonzero(window[1:] < 0.97 * window[:-1])
    if not falls.size:
        yield Verdict("the run", "no reduction of the window", "one", Outcome.UNDECIDED)
        return
    share = float(window[falls[0] + 1] / window[falls[0]])
    yield Verdict.within("window after the first mark, as a share", share, 0.45, 0.66)


CASE = Case(
    number=1,
    section="RFC 8257, 3.3 and 4.2",
    title="The first mark halves the window",
    statement=(
        "Alpha begins at one, so that a flow that meets a full queue before it knows a share of marks "
        "halves its window."
    ),
    scenario=MARKING,
    rule="The first alpha is 1, and the first reduction leaves 0.45 to 0.66 of the window.",
    why=(
        "Slow start takes five to six windows of data to the threshold, each of which takes a sixteenth "
        "off alpha."
    ),
    observe=observe,
    outside=outside,
    shown=("cwnd_packets", ALPHA),
)
