"""The path of Copa's cases: one flow, a deep buffer."""

from __future__ import annotations

from typing import Any

from ackclock.conformance.specifications.paths import one_flow

__all__ = ["ALONE", "DELTA", "OSCILLATION_PACKETS"]

DELTA = "copa_delta"

OSCILLATION_PACKETS = 2.5 / 0.5
"""The largest queue of one flow in equilibrium, 2.5 / delta (section 3.2 and appendix A)."""

ALONE: dict[str, Any] = one_flow(
    "20 Mbit/s", 40, 20, buffer="500 packets", tcp={"segments_per_ack": 1}, sample="2 ms"
)
