"""Smooth Start: burst-tcp, 3.3.3, and the choices that the page of the algorithm states.

"Smooth Start Threshold (smsthresh), which is smaller than the slow start threshold (ssthresh) and is
dependent on two parameters the depth number and the grain number [..] When the congestion window becomes
larger than smsthresh, the algorithm slows the growth rate." No formula is given.
"""

from reference.facts import Ack
from reference.registered import slow_start
from reference.windowed import SlowStart, Window


@slow_start("smooth")
class SmoothStart(SlowStart):
    """Chosen: smsthresh is ``depth`` doublings below ssthresh; a packet there takes ``grain`` ACKs."""

    def __init__(self, depth: float = 1.0, grain: float = 2.0) -> None:
        self.depth = depth
        self.grain = grain

    def grow(self, ack: Ack, window: Window) -> None:
        """One acknowledgment."""
        packets = min(ack.delivered, ack.acks)
        if window.cwnd * 2.0**self.depth >= window.ssthresh:
            packets /= self.grain
        window.cwnd = min(window.cwnd + packets, window.ssthresh)
