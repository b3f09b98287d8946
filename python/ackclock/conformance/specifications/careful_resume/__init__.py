"""Careful Resume: RFC 9959."""

from __future__ import annotations

from ackclock.conformance.case import Gauge, Specification
from ackclock.conformance.specifications.careful_resume.memory import PHASE, PIPE_SIZE, SAVED

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="Careful Resume",
    source="RFC 9959 (2026)",
    algorithms=("careful-resume",),
    parameters=SAVED,
    gauges=(
        Gauge(
            PHASE,
            "",
            "0 to 4: the phase",
            ("normal", "reconnaissance", "unvalidated", "validating", "safe retreat"),
        ),
        Gauge(PIPE_SIZE, "packets", "PipeSize, the packets validated; 0 outside the phases after the jump"),
    ),
)
