"""The path of NewReno's cases: a window of some 45 packets, several of them lost."""

from __future__ import annotations

import numpy as np

from ackclock.conformance.specifications.paths import FORWARD, one_flow
from ackclock.conformance.specifications.windows import lost
from ackclock.conformance.trace import Trace

__all__ = ["THREE", "losing_packets", "sent_again"]


def losing_packets(*losses: int, seconds: float = 6, **tcp: object) -> dict[str, object]:
    """A flow with enough data, which loses these packets."""
    return one_flow(
        "100 Mbit/s",
        100,
        seconds,
        buffer="1000 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": "40 packets", **tcp},
        watch=FORWARD,
        loss=lost(*losses),
    )


THREE = losing_packets(600, 604, 608)


def sent_again(trace: Trace) -> np.ndarray:
    """The times at which packets were sent again."""
    times: np.ndarray = trace.sent.time_s[trace.sent.is_again]
    return times
