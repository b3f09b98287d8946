"""PCC Allegro: Dong et al., NSDI 2015."""

from __future__ import annotations

from ackclock.conformance.case import Gauge, Specification
from ackclock.conformance.specifications.allegro.rates import EPSILON, RATE, STATE

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="PCC Allegro",
    source="Dong, Li, Zarchy, Godfrey and Schapira, NSDI 2015",
    algorithms=("allegro",),
    gauges=(
        Gauge(STATE, "", "the state", ("starting", "decision making", "rate adjusting")),
        Gauge(RATE, "packets/s", "the rate that is decided about"),
        Gauge(EPSILON, "", "epsilon, by which trials differ from the rate"),
    ),
)
