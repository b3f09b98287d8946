"""Standard congestion control: RFC 5681, with the initial window of RFC 6928 and the recovery of RFC 6582."""

from __future__ import annotations

from ackclock.conformance.case import Specification

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="Standard congestion control, Reno and NewReno",
    source="RFC 5681 (2009), with RFC 6928 and RFC 6582",
    algorithms=("reno", "rack+reno", "newreno", "sack"),
)
