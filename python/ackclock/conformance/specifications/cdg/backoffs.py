"""The gauges of CDG, its back-offs, and the path of its cases."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from ackclock.conformance.case import Settings
from ackclock.conformance.specifications.paths import one_flow, with_others
from ackclock.conformance.trace import Trace

__all__ = [
    "ALONE",
    "BUFFER_PACKETS",
    "GRADIENT",
    "INEFFECTIVE",
    "SHADOW",
    "backoffs_s",
    "with_another",
    "without_delay",
]

GRADIENT = "cdg_gradient_s"
SHADOW = "cdg_shadow_window_packets"
INEFFECTIVE = "cdg_ineffective_backoffs"

BUFFER_PACKETS = 200

ALONE: dict[str, Any] = one_flow(
    "20 Mbit/s", 60, 60, buffer=f"{BUFFER_PACKETS} packets", tcp={"segments_per_ack": 1}
)


def with_another(seconds: float, **other: object) -> dict[str, Any]:
    """The flow with a second one on its path, over a buffer of 100 packets."""
    scenario: dict[str, Any] = one_flow(
        "20 Mbit/s", 60, seconds, buffer="100 packets", tcp={"segments_per_ack": 1}, sample="5 ms"
    )
    return with_others(scenario, {"name": "other", **other})


def without_delay(scenario: Settings) -> dict[str, Any]:
    """A copy with links of 10 Gbit/s, on which a window that leaves at once causes no delay."""
    changed: dict[str, Any] = deepcopy(dict(scenario))
    dumbbell = changed["topology"]["dumbbell"]
    dumbbell["bottleneck"]["rate"] = dumbbell["access"]["rate"] = "10 Gbit/s"
    return changed


def backoffs_s(trace: Trace) -> np.ndarray:
    """The times at which the threshold changes, but for the two round trips after a loss and slow start."""
    thresholds = trace.series("ssthresh_packets")
    changed = np.flatnonzero((thresholds[1:] != thresholds[:-1]) & np.isfinite(thresholds[:-1])) + 1
    times, losses = trace.time_s[changed], np.append(-np.inf, trace.losses())
    last = losses[np.searchsorted(losses, times, side="right") - 1]
    apart: np.ndarray = times[times - last > 2.5 * np.nanmax(trace.series("rtt_s"))]
    return apart
