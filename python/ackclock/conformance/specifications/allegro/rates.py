"""The gauges of Allegro, its states, and the paths of its cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ackclock.conformance.specifications.paths import one_flow, with_others
from ackclock.conformance.trace import Trace

__all__ = [
    "ADJUSTING",
    "ALONE",
    "DECIDING",
    "EPSILON",
    "RATE",
    "STARTING",
    "STATE",
    "changes",
    "path",
    "several",
]

STATE = "allegro_state"
RATE = "allegro_rate_packet_per_s"
EPSILON = "allegro_epsilon"

STARTING, DECIDING, ADJUSTING = range(3)


def path(rate: object, rtt_ms: float, seconds: float, **more: object) -> dict[str, Any]:
    """One flow over a buffer of one bandwidth-delay product, with an acknowledgment for each packet."""
    return one_flow(rate, rtt_ms, seconds, **{"buffer": "100 % bdp", "tcp": {"segments_per_ack": 1}, **more})  # type: ignore[arg-type]


def several(
    rate: object, rtt_ms: float, seconds: float, *others: Mapping[str, object], **more: object
) -> dict[str, Any]:
    """The flow with others over the same bottleneck."""
    named = [{"name": f"flow {number}", **other} for number, other in enumerate(others, 2)]
    return with_others(path(rate, rtt_ms, seconds, sample="10 ms", **more), *named)


ALONE = path("20 Mbit/s", 48, 20)


def changes(trace: Trace, gauge: str, state: int, of: str = STATE) -> tuple[np.ndarray, np.ndarray]:
    """The times at which a gauge changes within a state, from its beginning on, and its values then."""
    values, inside = trace.gauge(gauge), trace.gauge(of) == state
    steps = (values[1:] != values[:-1]) & inside[1:] & inside[:-1]
    places = np.flatnonzero(steps) + 1
    first_place = np.flatnonzero(inside)[:1]
    places = np.concatenate([first_place, places])
    return trace.time_s[places], values[places]
