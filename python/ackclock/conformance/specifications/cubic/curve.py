"""The path of the cases on the curve: a loss at some 300 packets, far from the Reno-friendly region."""

from __future__ import annotations

import numpy as np

from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.windows import first_loss_s, lost, recovered_s, window_at
from ackclock.conformance.trace import Trace

__all__ = ["FACTOR", "LEFT", "LONG", "Curve", "long_path"]

LEFT = 0.7
"""The share of the window that a loss leaves, beta."""

FACTOR = 0.4
"""C, in packets per cubic second."""


def long_path(rtt_ms: float, seconds: float, *losses: int) -> dict[str, object]:
    """A path that holds every window of the run, with these packets lost."""
    return one_flow(
        "200 Mbit/s",
        rtt_ms,
        seconds,
        buffer="3000 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": "300 packets"},
        sample="5 ms",
        loss=lost(*losses),
    )


LONG = long_path(100, 12, 3000)


class Curve:
    """The growth after a loss: from the window that it left to the plateau, the window before it."""

    def __init__(self, trace: Trace, number: int = 0) -> None:
        self.loss_s = first_loss_s(trace, number)
        self.begin_s = recovered_s(trace, self.loss_s)
        self.plateau = float(np.max(trace.during("in_flight_packets", self.loss_s, self.begin_s)))
        self.low = window_at(trace, self.begin_s)
        self.expected_s = float(np.cbrt((1 - LEFT) * self.plateau / FACTOR))
        """K: the time to the plateau by RFC 9438, 4.2, equation 2, for a loss at this window."""

    def regained(self, trace: Trace, share_of_time: float) -> float:
        """The share of the reduction that is regained at a share of that time."""
        window = window_at(trace, self.begin_s + share_of_time * self.expected_s)
        return (window - self.low) / (self.plateau - self.low)
