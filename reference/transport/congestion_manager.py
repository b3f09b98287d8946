"""The Congestion Manager (RFC 3124): the datagrams that flows of one macroflow have sent on an idle path.

Its controller begins in slow start (5.2), its scheduler is a weighted round robin (5.3) as a share of the
window, and every flow always writes more than it may send. Nothing is lost, and links take no time to
transmit.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

__all__ = ["acknowledged"]


def acknowledged(weights: Sequence[float], initial_window: float, round_trips: int) -> list[list[int]]:
    """The datagrams of each flow that are acknowledged after each of this many round trips."""
    window = initial_window
    counts = [0] * len(weights)
    found = []
    for _ in range(round_trips):
        in_network = [max(1, floor(window * weight / sum(weights) + 1e-9)) for weight in weights]
        counts = [count + sent for count, sent in zip(counts, in_network, strict=True)]
        # In slow start every acknowledgment, of whichever flow, adds a packet to the macroflow's window.
        window += sum(in_network)
        found.append(counts)
    return found
