"""A mark takes half of alpha off the window."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.dctcp.marking import ALPHA, MARKING
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Outcome, Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The parts that reductions take, next to alpha."""
    window, times = trace.series("cwnd_packets"), trace.time_s
    places = np.flatnonzero((window[1:] < 0.99 * window[:-1]) & (times[1:] > 1.0))
    if places.size < 5:
        yield Verdict("reductions after a second", f"{places.size}", "five", Outcome.UNDECIDED)
        return
    taken = 1 - window[places + 1] / window[places]
    ratio = float(np.median(taken / trace.gauge(ALPHA)[places]))
    yield Verdict.within("median part of the window taken, in alphas", ratio, 0.42, 0.65)


CASE = Case(
    number=5,
    section="RFC 8257, 3.3, step 9",
    title="A mark takes half of alpha off the window",
    statement="A window with marks reduces the window by half of alpha, so that a few marks take little.",
    scenario=MARKING,
    rule="From 1 s on the median of the parts that reductions take is 0.42 to 0.65 alphas.",
    why="What is outstanding counts, a packet or two less than the window, and alpha is a few hundredths.",
    observe=observe,
    shown=("cwnd_packets", ALPHA),
)
