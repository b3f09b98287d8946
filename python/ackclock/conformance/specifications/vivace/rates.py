"""The gauges of Vivace, and the steps of its rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ackclock.conformance.trace import NotSeenError, Trace

__all__ = ["BOUNDARY", "RATE", "STARTING", "STEPS", "Step", "steps"]

STARTING = "vivace_is_starting"
RATE = "vivace_rate_packet_per_s"
STEPS = "vivace_steps"
BOUNDARY = "vivace_boundary"


@dataclass(frozen=True)
class Step:
    """A decision after the start."""

    time_s: float
    change: float
    """The change of the rate, as a part of it."""
    boundary: float
    """The boundary before."""
    turns: bool
    """The direction is another than that of the decision before."""


def steps(trace: Trace) -> list[Step]:
    """Each decision after the start, but the first. Raises NotSeenError without any."""
    counts, rates, boundary = trace.gauge(STEPS), trace.gauge(RATE), trace.gauge(BOUNDARY)
    started = trace.gauge(STARTING) > 0
    places = np.flatnonzero((rates[1:] != rates[:-1]) & ~started[:-1] & (counts[:-1] != 0)) + 1
    if not places.size:
        raise NotSeenError("decided twice")
    return [
        Step(
            float(trace.time_s[place]),
            float(rates[place] / rates[place - 1] - 1),
            float(boundary[place - 1]),
            bool(counts[place] * counts[place - 1] < 0),
        )
        for place in places.tolist()
    ]
