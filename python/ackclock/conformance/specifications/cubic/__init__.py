"""CUBIC: RFC 9438."""

from __future__ import annotations

from ackclock.conformance.case import Specification

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="CUBIC",
    source="RFC 9438 (2023)",
    algorithms=("cubic",),
)
