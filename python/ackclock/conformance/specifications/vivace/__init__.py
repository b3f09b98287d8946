"""PCC Vivace: Dong et al., NSDI 2018."""

from __future__ import annotations

from ackclock.conformance.case import Gauge, Specification
from ackclock.conformance.specifications.vivace.rates import BOUNDARY, RATE, STARTING, STEPS

__all__ = ["SPECIFICATION"]

SPECIFICATION = Specification(
    title="PCC Vivace",
    source="Dong, Meng, Zarchy, Arslan, Gilad, Godfrey and Schapira, NSDI 2018",
    algorithms=("vivace", "vivace-linux"),
    gauges=(
        Gauge(STARTING, "", "1 while the rate doubles"),
        Gauge(RATE, "packets/s", "the rate that is decided about"),
        Gauge(STEPS, "", "the decisions in one direction, negative for those down"),
        Gauge(BOUNDARY, "", "the largest change of the rate, as a part of it"),
    ),
)
