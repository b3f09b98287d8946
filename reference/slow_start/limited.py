"""Limited slow start: RFC 3742, section 2, and as MesoNet has it: mesonet, section 5.1.2.2."""

import math

from reference.facts import Ack
from reference.registered import slow_start
from reference.windowed import SlowStart, Window


@slow_start("limited")
class LimitedSlowStart(SlowStart):
    """RFC 3742.

    "For each arriving ACK in slow-start: If (cwnd <= max_ssthresh) cwnd += MSS; else
    K = int(cwnd/(0.5 max_ssthresh)); cwnd += int(MSS/K);"

    The second ``int`` counts bytes and has no meaning for a window in packets. An acknowledgment of less
    than a packet adds as much less.
    """

    def __init__(self, max_ssthresh: float = 100.0) -> None:
        self.max_ssthresh = max_ssthresh

    def grow(self, ack: Ack, window: Window) -> None:
        """Adds a packet, or the K-th part of one, and stops at the threshold."""
        k = 1 if window.cwnd <= self.max_ssthresh else math.floor(window.cwnd / (0.5 * self.max_ssthresh))
        window.cwnd = min(window.cwnd + min(ack.delivered, ack.acks) / k, window.ssthresh)


@slow_start("limited-mesonet")
class LimitedMesoNet(SlowStart):
    """Equation 5 of mesonet.

    "cwnd <- cwnd + 1 if cwnd < sst_MAX; cwnd <- cwnd + 1 / (cwnd / (0.5 x sst_MAX)) otherwise".
    """

    def __init__(self, max_ssthresh: float = 100.0) -> None:
        self.max_ssthresh = max_ssthresh

    def grow(self, ack: Ack, window: Window) -> None:
        """Adds a packet, or a part of one, even beyond the threshold."""
        rounds = 1.0 if window.cwnd < self.max_ssthresh else window.cwnd / (0.5 * self.max_ssthresh)
        window.cwnd += min(ack.delivered, ack.acks) / rounds
