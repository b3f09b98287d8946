"""C4: draft-huitema-ccwg-c4-spec, -design and -test."""

from __future__ import annotations

from ackclock.conformance.case import Gauge, Specification
from ackclock.conformance.specifications.c4.states import ALPHA, LEVEL, MAX_RTT, RATE, STATE

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="C4, Christian's congestion control code",
    source="draft-huitema-ccwg-c4-spec and draft-huitema-ccwg-c4-test, October 2025 to February 2026",
    algorithms=("c4",),
    gauges=(
        Gauge(STATE, "", "the state", ("Initial", "Recovery", "Cruising", "Pushing")),
        Gauge(RATE, "packets/s", "the nominal rate"),
        Gauge(MAX_RTT, "s", "the nominal max RTT"),
        Gauge(ALPHA, "", "alpha, the paced rate in nominal rates"),
        Gauge(LEVEL, "", "the probe level of the next push, 0 to 3"),
    ),
)
