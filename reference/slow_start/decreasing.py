"""Decreasing Byte Counting: burst-tcp, 3.3.3, and the choices that the page of the algorithm states.

Barakat and Altman's proposal "suggested adapt dynamically the Allman's limitation based on the current
congestion window". No formula is given.
"""

from reference.facts import Ack
from reference.registered import slow_start
from reference.windowed import SlowStart, Window


@slow_start("decreasing")
class DecreasingByteCounting(SlowStart):
    """Chosen: the limit falls linearly, from ``limit`` packets at a window of one to one at ``window``."""

    def __init__(self, limit: float = 2.0, window: float = 32.0) -> None:
        self.limit = limit
        self.window = window

    def grow(self, ack: Ack, window: Window) -> None:
        """One acknowledgment."""
        if window.cwnd >= self.window:
            limit = 1.0
        else:
            limit = self.limit - (self.limit - 1) * (window.cwnd - 1) / (self.window - 1)
            limit = min(limit, self.limit)
        window.cwnd = min(window.cwnd + min(ack.delivered, limit * ack.acks), window.ssthresh)
