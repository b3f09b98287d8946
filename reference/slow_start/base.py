"""Generalised slow start: burst-tcp, section 4.1."""

from reference.facts import Ack
from reference.registered import slow_start
from reference.windowed import SlowStart, Window


@slow_start("base")
class Base(SlowStart):
    """By round trip cwnd <- b^RTT, "where b is the base"; by acknowledgment cwnd <- cwnd + (b - 1)."""

    def __init__(self, b: float = 2.0) -> None:
        self.b = b

    def grow(self, ack: Ack, window: Window) -> None:
        """Adds b - 1; for less than a packet, as much less."""
        window.cwnd = min(window.cwnd + (self.b - 1) * min(ack.delivered, ack.acks), window.ssthresh)
