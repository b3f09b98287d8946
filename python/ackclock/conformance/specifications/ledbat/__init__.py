"""Low Extra Delay Background Transport: RFC 6817."""

from __future__ import annotations

from ackclock.conformance.case import Specification

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="LEDBAT",
    source="RFC 6817 (2012)",
    algorithms=("ledbat",),
)
