"""SEARCH: draft-chung-ccwg-search."""

from __future__ import annotations

from ackclock.conformance.case import Gauge, Specification
from ackclock.conformance.specifications.search.phases import DRAINING

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="SEARCH",
    source="draft-chung-ccwg-search-09 (2026)",
    algorithms=("search",),
    gauges=(Gauge(DRAINING, "", "0 or 1: whether the capacity is found and the queue drains"),),
)
