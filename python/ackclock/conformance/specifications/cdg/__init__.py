"""CDG: Hayes and Armitage 2011, as Linux has it."""

from __future__ import annotations

from ackclock.conformance.case import Gauge, Specification
from ackclock.conformance.specifications.cdg.backoffs import GRADIENT, INEFFECTIVE, SHADOW

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="CDG, congestion control by delay gradients",
    source="Hayes and Armitage, Networking 2011, and tcp_cdg.c of Linux 6",
    algorithms=("cdg",),
    gauges=(
        Gauge(GRADIENT, "s", "the sum of the last changes of the round trip, which decides on a back-off"),
        Gauge(SHADOW, "packets", "the shadow window"),
        Gauge(INEFFECTIVE, "", "the back-offs since a sum last fell"),
    ),
)
