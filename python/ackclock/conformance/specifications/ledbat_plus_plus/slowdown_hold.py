"""A slowdown holds the window at two packets for two round trips."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.ledbat_plus_plus.slowdowns import (
    ALONE,
    LEAST,
    never_slowed,
    slowdowns,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window in each slowdown, and its length."""
    found = slowdowns(trace)
    if not found:
        yield never_slowed()
    for each in found:
        window = float(np.max(trace.during("cwnd_packets", each.begin_s, each.held_until_s)))
        yield Verdict.near("window in packets", window, LEAST, 1e-9)
        trips = (each.held_until_s - each.begin_s) / trace.at("srtt_s", each.begin_s)
        yield Verdict.within("length in smoothed round trips before it", trips, 1.9, 2.8)


CASE = Case(
    number=4,
    section="the draft, periodic slowdowns",
    title="A slowdown holds the window at two packets for two round trips",
    statement="In a slowdown the window is two packets for two round trips, in which the queue drains.",
    scenario=ALONE,
    rule="In each slowdown the window is 2 packets for 1.9 to 2.8 of the smoothed round trips before it.",
    why=(
        "It ends with an acknowledgment, of which two come in a round trip of 40 ms, a third of those before."
    ),
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets", "rtt_s"),
)
