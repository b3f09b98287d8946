"""BBR version 3: draft-ietf-ccwg-bbr of August 2026, whose appendix "BBR Example Test Cases" has 22 cases.

Sections are the draft's.
"""

from __future__ import annotations

from ackclock.conformance.case import Specification
from ackclock.conformance.specifications.bbr.states import GAUGES

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="BBR, version 3",
    source="draft-ietf-ccwg-bbr, 3 August 2026, with its appendix of test cases",
    algorithms=("bbr3",),
    gauges=GAUGES,
)
