"""The first slowdown follows two round trips after slow start."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.ledbat_plus_plus.slowdowns import (
    ALONE,
    never_slowed,
    slow_start_ends_s,
    slowdowns,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The time from the end of slow start to the first slowdown."""
    found = slowdowns(trace)
    if not found:
        yield never_slowed()
        return
    end = slow_start_ends_s(trace)
    trips = (found[0].begin_s - end) / trace.at("srtt_s", end)
    yield Verdict.within("smoothed round trips from slow start to the slowdown", trips, 1.9, 2.5)


CASE = Case(
    number=3,
    section="the draft, periodic slowdowns",
    title="The first slowdown follows two round trips after slow start",
    statement="Two round trips after the first slow start the window goes down to two packets.",
    scenario=ALONE,
    rule="The first slowdown begins 1.9 to 2.5 smoothed round trips after the threshold becomes finite.",
    why="It begins with an acknowledgment, of which one comes in 1.2 ms.",
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", "rtt_s"),
)
