"""The growth of a window that the sender does not use: draft-ietf-ccwg-ratelimited-increase."""

from __future__ import annotations

from ackclock.conformance.case import Specification

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="Increase of the window while the sender is rate-limited",
    source="draft-ietf-ccwg-ratelimited-increase-11 (2026)",
    algorithms=(),
)
