"""HyStart++: RFC 9406."""

from __future__ import annotations

from ackclock.conformance.case import Gauge, Specification
from ackclock.conformance.specifications.hystart.phases import CONSERVATIVE

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="HyStart++",
    source="RFC 9406 (2023)",
    algorithms=("hystart",),
    gauges=(Gauge(CONSERVATIVE, "", "0 or 1: whether conservative slow start goes on", ("SS", "CSS")),),
)
