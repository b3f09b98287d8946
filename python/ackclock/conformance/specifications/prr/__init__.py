"""Proportional Rate Reduction: RFC 9937."""

from __future__ import annotations

from ackclock.conformance.case import Specification

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="Proportional Rate Reduction",
    source="RFC 9937 (2025)",
    algorithms=("prr", "rack"),
)
