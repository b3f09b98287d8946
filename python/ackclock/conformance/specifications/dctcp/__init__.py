"""Data Center TCP: RFC 8257."""

from __future__ import annotations

from ackclock.conformance.case import Gauge, Specification
from ackclock.conformance.specifications.dctcp.marking import ALPHA

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="Data Center TCP",
    source="RFC 8257 (2017)",
    algorithms=("dctcp",),
    gauges=(Gauge(ALPHA, "", "DCTCP.Alpha, the estimated share of marked packets"),),
)
