"""The paths of the cases of rLEDBAT: the receiver of the first flow has it, and the sender is under test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ackclock.conformance.specifications.paths import one_flow, with_others
from ackclock.conformance.trace import Trace

__all__ = ["ALONE", "CONTROLLED", "RATE", "path", "queueing_ms", "with_another"]

RATE = "10 Mbit/s"

CONTROLLED: Mapping[str, object] = {"receiver_control": "rledbat"}
"""The settings of a flow whose receiver has it."""


def path(
    seconds: float, *, buffer: str = "400 packets", flow: Mapping[str, object] | None = None, **more: object
) -> dict[str, Any]:
    """One flow, whose receiver has rLEDBAT, over 10 Mbit/s and 40 ms."""
    return one_flow(
        RATE,
        40,
        seconds,
        buffer=buffer,
        flow={"tcp": dict(CONTROLLED), **(flow or {})},
        **{"sample": "2 ms", "tcp": {"segments_per_ack": 1, "timestamps": True}, **more},  # type: ignore[arg-type]
    )


def with_another(seconds: float, **other: object) -> dict[str, Any]:
    """The flow with a second one on its path."""
    return with_others(path(seconds, sample="10 ms"), {"name": "other", **other})


ALONE = path(40)
"""A buffer of 480 ms, eight times the target of LEDBAT++."""


def queueing_ms(trace: Trace, begin_s: float, end_s: float) -> np.ndarray:
    """The delay of the queue between two times."""
    inside = (trace.time_s >= begin_s) & (trace.time_s < end_s)
    delays: np.ndarray = 1e3 * trace.link("queue_packets")[inside] / trace.rate_packets_per_s(begin_s)
    return delays
