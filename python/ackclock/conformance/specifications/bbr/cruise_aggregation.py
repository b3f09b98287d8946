"""Cruising fills a path that aggregates."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.bbr.aggregation import AGGREGATING
from ackclock.conformance.specifications.bbr.states import (
    CRUISE,
    EXTRA_ACKED,
    STATE,
    bdp_packets,
    never_came,
    phases,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The longest time of cruising."""
    ended = phases(trace, CRUISE)
    if not ended:
        yield never_came(CRUISE)
        return
    cruise = max(ended, key=lambda phase: phase.length_s)
    begin, end = cruise.begin_s + (cruise.end_s - cruise.begin_s) / 2, cruise.end_s
    extra = trace.during(EXTRA_ACKED, begin, end)
    yield Verdict.within("extra_acked in packets", float(np.min(extra)), 3.0, 30.0)
    target = 2 * bdp_packets(trace, end - 0.002) + trace.at(EXTRA_ACKED, end - 0.002)
    window = trace.at("cwnd_packets", end - 0.002)
    yield Verdict.near("window, less two BDPs and extra_acked", window - target, 0.0, 1.0)
    rate = trace.goodput_of_link(begin, end)
    yield Verdict.within("goodput in rates of the link", rate, 0.93, 1.02)


def outside(trace: Trace) -> Iterator[Verdict]:
    """The link stays in use."""
    rate = trace.goodput_of_link(2.0, 4.5)
    yield Verdict.within("goodput in rates of the link", rate, 0.9, 1.02)


CASE = Case(
    number=13,
    section='appendix, "Achieving Expected Cruise Bandwidth on a Link With Aggregation"; 5.5.9, 5.6.4.2',
    title="Cruising fills a path that aggregates",
    statement=(
        "In CRUISE the window is two bandwidth-delay products and extra_acked, the largest burst of ten "
        "round trips, so that the flow does not stall between two bursts of acknowledgments."
    ),
    scenario=AGGREGATING,
    rule=(
        "In the second half of the longest CRUISE: extra_acked is 3 to 30 packets, the window is the sum "
        "within a packet, and the goodput at least 93 % of the link's rate."
    ),
    why="A burst has 8 packets, and several may count together. The pace is 1 % below the bandwidth.",
    observe=observe,
    outside=outside,
    shown=(STATE, "cwnd_packets", EXTRA_ACKED),
)
