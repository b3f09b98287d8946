"""Slow start leads back to the window before."""

import math
from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.ledbat_plus_plus.slowdowns import ALONE, never_slowed, slowdowns
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth after each slowdown, and the window that it leads to."""
    found = slowdowns(trace)
    if not found:
        yield never_slowed()
    for each in found:
        begin = each.held_until_s + trace.path_rtt_s
        growth = math.pow(window_at(trace, begin + 4 * trace.path_rtt_s) / window_at(trace, begin), 1 / 4)
        yield Verdict.within("mean growth in a round trip", growth, 1.25, 1.4)
        after = window_at(trace, each.back_s + 2 * trace.at("srtt_s", each.back_s))
        yield Verdict.within(
            "window two round trips after it, in windows before", after / each.before, 0.97, 1.05
        )


CASE = Case(
    number=5,
    section="the draft, periodic slowdowns and modified slow start",
    title="Slow start leads back to the window before",
    statement=(
        "After the two round trips slow start, by the gain, leads back to the window before, and no further."
    ),
    scenario=ALONE,
    rule=(
        "Over four round trips the window grows to 1.25 to 1.4 of its value in each, as a geometric mean; "
        "two round trips after it came back it is 0.97 to 1.05 of what it was."
    ),
    why="A third is added in a round trip, by steps of two to six packets acknowledged.",
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets"),
)
