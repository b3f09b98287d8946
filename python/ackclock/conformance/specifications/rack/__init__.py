"""Loss detection by time, and probes of the tail: RFC 8985."""

from __future__ import annotations

from ackclock.conformance.case import Specification

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="RACK-TLP, loss detection by time",
    source="RFC 8985 (2021)",
    algorithms=("rack",),
)
