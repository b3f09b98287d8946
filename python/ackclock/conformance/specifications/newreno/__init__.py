"""NewReno, recovery without selective acknowledgments: RFC 6582."""

from __future__ import annotations

from ackclock.conformance.case import Specification

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="NewReno, fast recovery for a whole window",
    source="RFC 6582 (2012)",
    algorithms=("newreno",),
)
