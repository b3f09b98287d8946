"""Copa: Arun and Balakrishnan, NSDI 2018."""

from __future__ import annotations

from ackclock.conformance.case import Gauge, Specification
from ackclock.conformance.specifications.copa.alone import DELTA

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="Copa",
    source="Arun and Balakrishnan, NSDI 2018",
    algorithms=("copa",),
    gauges=(Gauge(DELTA, "", "delta, the weight of delay; 0.5 in the default mode"),),
)
