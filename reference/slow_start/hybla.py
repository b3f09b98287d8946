"""TCP Hybla's slow start: reference/avoidance/hybla.py names the source.

Left open there, and chosen here: the first window and threshold are the connection's and not rho times
those, and growth ends at `most` packets (the largest window of Linux' module).
"""

from reference.avoidance.hybla import rho
from reference.facts import Ack
from reference.registered import slow_start
from reference.windowed import SlowStart, Window


@slow_start("hybla")
class HyblaSlowStart(SlowStart):
    """Equation 7: W + 2^rho - 1 for each acknowledgment."""

    def __init__(self, rtt0: float = 25.0, most: float = 65535.0, limit: float = 1.0) -> None:
        self.rtt0 = rtt0
        self.most = most
        self.limit = limit

    def grow(self, ack: Ack, window: Window) -> None:
        """Up to the threshold, or to the largest window."""
        packets = min(ack.delivered, self.limit * ack.acks)
        grown = window.cwnd + packets * (2.0 ** rho(ack, self.rtt0) - 1.0)
        window.cwnd = max(window.cwnd, min(grown, window.ssthresh, self.most))
