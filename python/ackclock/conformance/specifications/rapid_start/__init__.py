"""Rapid Start: draft-kazuho-ccwg-rapid-start."""

from __future__ import annotations

from ackclock.conformance.case import Specification

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="Rapid Start",
    source="draft-kazuho-ccwg-rapid-start-02 (2026)",
    algorithms=("rapid-start",),
)
