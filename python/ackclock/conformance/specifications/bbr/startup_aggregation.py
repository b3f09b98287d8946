"""Startup finds the bandwidth of a path that aggregates."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.bbr.aggregation import AGGREGATING
from ackclock.conformance.specifications.bbr.states import (
    DRAIN,
    EXTRA_ACKED,
    MAX_BANDWIDTH,
    STARTUP,
    STATE,
    followed_by,
    never_came,
    phases,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The estimates and the window at the end of Startup."""
    ended = phases(trace, STARTUP)
    if not ended:
        yield never_came(STARTUP)
        return
    startup = ended[0]
    yield followed_by(trace, startup, DRAIN)
    rate = trace.rate_packets_per_s(startup.end_s)
    yield Verdict.near("max_bw in rates of the link", trace.at(MAX_BANDWIDTH, startup.end_s) / rate, 1.0, 0.1)
    extra = float(np.nanmax(trace.during(EXTRA_ACKED, startup.begin_s, startup.end_s)))
    yield Verdict.within("largest extra_acked in Startup in packets", extra, 5.0, float("inf"))
    bdp = trace.path_rtt_s * rate
    window = float(np.max(trace.during("cwnd_packets", startup.begin_s, startup.end_s + 0.01)))
    yield Verdict.within("largest window in BDPs", window / bdp, 2.0, float("inf"))


def outside(trace: Trace) -> Iterator[Verdict]:
    """The link is used in full after a second."""
    rate = trace.goodput_of_link(1.0, 1.5)
    yield Verdict.within("goodput after one second in rates of the link", rate, 0.85, 1.02)


CASE = Case(
    number=12,
    section='appendix, "Achieving Expected STARTUP Bandwidth on a Link With Aggregation"; 5.5.9',
    title="Startup finds the bandwidth of a path that aggregates",
    statement=(
        "Where acknowledgments come in bursts, extra_acked measures them in Startup, the window holds "
        "more than two bandwidth-delay products, and the bandwidth is found."
    ),
    scenario=AGGREGATING,
    rule=(
        "Drain follows with max_bw within 10 % of the link's rate; extra_acked has reached 5 packets, and "
        "the window two bandwidth-delay products."
    ),
    why=(
        "Releases each 10 ms carry 8 packets, and delivery rates are measured between two of them: at 50 "
        "ms a sample counts whole releases, which is a tenth more or less."
    ),
    observe=observe,
    outside=outside,
    shown=(STATE, MAX_BANDWIDTH, EXTRA_ACKED),
)
