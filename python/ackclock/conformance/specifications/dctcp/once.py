"""The window is reduced once in a window of data."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.dctcp.marking import MARKING
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Outcome, Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The shortest time between two reductions."""
    window, times = trace.series("cwnd_packets"), trace.time_s
    places = np.flatnonzero((window[1:] < window[:-1] - 0.05) & (times[1:] > 1.0))
    if places.size < 5:
        yield Verdict("reductions after a second", f"{places.size}", "five", Outcome.UNDECIDED)
        return
    between = float(np.diff(times[places]).min()) / trace.path_rtt_s
    yield Verdict.within("shortest time between two reductions in round trips", between, 0.95, np.inf)


CASE = Case(
    number=6,
    section="RFC 8257, 3.3",
    title="The window is reduced once in a window of data",
    statement="However many packets of a window are marked, they reduce the window once.",
    scenario=MARKING,
    rule="From 1 s on 0.95 round trips or more lie between two reductions.",
    why="The series has a sample each millisecond, a twentieth of a round trip.",
    observe=observe,
    shown=("cwnd_packets",),
)
