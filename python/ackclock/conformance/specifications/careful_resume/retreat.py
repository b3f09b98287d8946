"""Congestion after the jump leaves half of what was validated."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.careful_resume.memory import PHASE, PIPE_SIZE, RETREAT, WRONG
from ackclock.conformance.trace import Trace, first
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window of the retreat, of the packets validated at its beginning."""
    times, inside = trace.time_s, trace.gauge(PHASE) == RETREAT
    begin = first(times[inside], "a retreat")
    window = trace.series("cwnd_packets")[inside]
    share = float(window[0]) / trace.at(PIPE_SIZE, begin)
    yield Verdict.within("window at its beginning, of the packets validated", share, 0.05, 0.52)
    yield Verdict.same("the window grows in it", bool((np.diff(window) > 1e-9).any()), False)


CASE = Case(
    number=8,
    section="RFC 9959, 3.5",
    title="Congestion after the jump leaves half of what was validated",
    statement=(
        "A loss after the jump begins Safe Retreat: the window is half of PipeSize at most, and never grows "
        "until the phase is over."
    ),
    scenario=WRONG,
    rule="The window of the phase begins with 0.05 to 0.52 of PipeSize and never grows.",
    why=(
        "The path and its queue hold half of the jump. A packet may be validated between the retreat and "
        "the sample. Two packets are the least window."
    ),
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets", PHASE, PIPE_SIZE),
)
