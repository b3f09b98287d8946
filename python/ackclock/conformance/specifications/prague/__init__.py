"""The Prague requirements of L4S: RFC 9331, section 4, with the reasons of its appendix A.

Three cases are of draft-briscoe-iccrg-prague-congestion-control-04, which says how Prague meets them.
"""

from __future__ import annotations

from ackclock.conformance.case import Gauge, Specification
from ackclock.conformance.specifications.prague.l4s import ALPHA

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="Prague, the requirements of L4S",
    source="RFC 9331 (2023), with draft-briscoe-iccrg-prague-congestion-control-04",
    algorithms=("prague",),
    gauges=(Gauge(ALPHA, "", "alpha, the estimated share of marked packets"),),
)
