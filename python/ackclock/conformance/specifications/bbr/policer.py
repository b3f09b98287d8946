"""A policer."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.bbr.states import (
    MAX_BANDWIDTH,
    SHORTTERM,
    SHORTTERM_BANDWIDTH,
    STATE,
)
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

TOKENS = 10e6
"""The policer's rate in bits per second."""


def observe(trace: Trace) -> Iterator[Verdict]:
    """The bounds that losses set, and what is seen from outside."""
    late = trace.time_s > 5
    yield Verdict.within(
        "smallest bw_shortterm in rates of the policer",
        float(np.nanmin(trace.gauge(SHORTTERM_BANDWIDTH)[late])) * trace.packet_bits / TOKENS,
        0.5,
        1.3,
    )
    finite = np.isfinite(trace.gauge(SHORTTERM)[late])
    yield Verdict.within("share of the time with inflight_shortterm set", float(finite.mean()), 0.2, 1.0)
    yield from outside(trace)


def outside(trace: Trace) -> Iterator[Verdict]:
    """Goodput and losses after five seconds."""
    end = float(trace.time_s[-1])
    rate = trace.goodput_packets_per_s(5.0, end) * trace.packet_bits / TOKENS
    yield Verdict.within("goodput in rates of the policer", rate, 0.85, 1.02)
    sent_again = trace.retransmitted(5.0, end)
    delivered = trace.goodput_packets_per_s(5.0, end) * (end - 5.0)
    yield Verdict.within("packets sent again per packet delivered", sent_again / delivered, 0.0, 0.08)


CASE = Case(
    number=17,
    section='appendix, "Handling Token Bucket Policers"; 5.5.10.3',
    title="Behind a policer the flow keeps to its rate",
    statement=(
        "When the bucket of a policer is empty, losses lower bw_shortterm and inflight_shortterm, and the "
        "flow settles at the policer's rate without losing much for long."
    ),
    scenario=one_flow(
        "100 Mbit/s", 40, 25, buffer="400 packets", impairments=["policer(rate=10 Mbit/s, burst=125 kB)"]
    ),
    rule=(
        "From 5 s to 25 s: bw_shortterm is lowered to 0.5 to 1.3 of the policer's rate, "
        "inflight_shortterm is set for a fifth of the time or more, the goodput is 85 to 102 % of the "
        "rate, and at most 8 % is sent again."
    ),
    why=(
        "A cycle of 2 to 3 s has one probe and one full bucket, 83 packets, which together lose some 5 % "
        "of 2000 packets."
    ),
    observe=observe,
    outside=outside,
    shown=(STATE, MAX_BANDWIDTH, SHORTTERM_BANDWIDTH),
)
