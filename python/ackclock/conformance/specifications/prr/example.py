"""The path of the examples: twenty packets outstanding, Reno's half as the target."""

from __future__ import annotations

import numpy as np

from ackclock.conformance.specifications.paths import FORWARD, one_flow
from ackclock.conformance.specifications.windows import lost
from ackclock.conformance.trace import Trace

__all__ = ["BURST", "SINGLE", "in_recovery", "loss_of"]


def loss_of(*losses: int, seconds: float = 4, window: int = 20) -> dict[str, object]:
    """A flow with a window of this size, which loses these packets."""
    return one_flow(
        "10 Mbit/s",
        100,
        seconds,
        buffer="500 packets",
        tcp={
            "segments_per_ack": 1,
            "initial_ssthresh": f"{window} packets",
            "proportional_rate": "rfc9937",
        },
        watch=FORWARD,
        loss=lost(*losses),
    )


SINGLE = loss_of(200)

BURST = loss_of(*range(400, 434), window=40)


def in_recovery(trace: Trace) -> tuple[np.ndarray, np.ndarray]:
    """The departures and the acknowledgments in the round trip from the first packet that is sent again."""
    begin, _ = trace.sent.first_again()
    end = begin + 0.97 * trace.path_rtt_s
    sent, acknowledged = trace.sent.time_s, trace.acknowledged_s
    # A departure is seen a millisecond after the acknowledgment that caused it.
    return (
        sent[(sent >= begin) & (sent < end)],
        acknowledged[(acknowledged > begin - 0.0015) & (acknowledged < end - 0.0015)],
    )
