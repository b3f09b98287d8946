"""Samples that the application limits do not lower the maximum in REFILL."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.bbr.app_limited import MOSTLY_SMALL, limited
from ackclock.conformance.specifications.bbr.states import (
    MAX_BANDWIDTH,
    REFILL,
    ROUND,
    STATE,
    UP,
    followed_by,
    never_came,
    phases,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """Each REFILL that the application limits."""
    found = limited(trace, phases(trace, REFILL))
    if not found:
        yield never_came(REFILL)
        return
    for refill in found:
        yield followed_by(trace, refill, UP)
        rounds = int(trace.at(ROUND, refill.end_s) - trace.at(ROUND, refill.begin_s))
        yield Verdict.within("rounds in REFILL", rounds, 1, 2)
        during = trace.during(MAX_BANDWIDTH, refill.begin_s, refill.end_s + 0.2)
        before = trace.at(MAX_BANDWIDTH, refill.begin_s)
        share = float(np.min(during)) / before
        yield Verdict.within("smallest max_bw in REFILL, in values before", share, 1.0, 1.05)


CASE = Case(
    number=22,
    section='appendix, "Handling Application-Limited Sending During PROBE_REFILL"; 5.5.4, 5.5.5',
    title="Samples that the application limits do not lower the maximum in REFILL",
    statement=(
        "Where the application sends little in REFILL, its low samples do not enter the maximum of the "
        "bandwidth, and UP follows after the round."
    ),
    scenario=MOSTLY_SMALL,
    rule=(
        "In each REFILL with small responses alone: UP follows after a round, and max_bw is not lower "
        "until 200 ms after it."
    ),
    why=(
        "A response of 5 packets per round trip is a sixth of the link's rate. The maximum of two cycles "
        "may rise with a burst."
    ),
    observe=observe,
    shown=(STATE, "in_flight_packets", MAX_BANDWIDTH),
)
