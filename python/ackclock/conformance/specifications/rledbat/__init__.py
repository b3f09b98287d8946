"""rLEDBAT: RFC 9840, the congestion control of a receiver, whatever its sender runs."""

from __future__ import annotations

from ackclock.conformance.case import Specification

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(title="rLEDBAT, a control of receivers", source="RFC 9840", algorithms=())
