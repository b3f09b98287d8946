"""No step exceeds the boundary."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.allegro.rates import path
from ackclock.conformance.specifications.paths import stepped
from ackclock.conformance.specifications.vivace.rates import BOUNDARY, RATE, steps
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The steps in boundaries, and the boundaries."""
    found = steps(trace)
    shares = [abs(step.change) / (0.05 if step.turns else step.boundary) for step in found]
    yield Verdict.within("largest step in boundaries", max(shares), 0.0, 1.001)
    tenths = (trace.gauge(BOUNDARY)[np.isfinite(trace.gauge(BOUNDARY))] - 0.05) * 10
    yield Verdict.within(
        "largest distance from whole tenths", float(np.abs(tenths - np.round(tenths)).max()), 0.0, 0.001
    )


CASE = Case(
    number=3,
    section="the paper, 4.2",
    title="No step exceeds the boundary",
    statement=(
        "A change of the rate is cut to the change boundary omega times the rate. Omega is 5 %, and 10 % "
        "more for each cut in a row."
    ),
    scenario=path(stepped("10 Mbit/s", (8.0, "100 Mbit/s")), 40, 20, buffer="500 packets"),
    rule=(
        "Each change is at most the boundary before it, or 5 % where the direction changes; and every "
        "boundary is 5 % and a whole number of tenths."
    ),
    why=(
        "Rates and boundaries are sampled each millisecond. The rate of the link rises to ten times, so "
        "that steps are cut."
    ),
    observe=observe,
    shown=(RATE, BOUNDARY),
)
