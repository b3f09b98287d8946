"""TCP Hybla's slow start: see reference/avoidance/hybla.py for its source.

Chosen here: the window of the beginning is that of the connection, not rho times that, and growth stops at
`most` packets, as in Linux, whose windows end at 65535 packets.
"""

from reference.avoidance.hybla import normalized
from reference.facts import Ack
from reference.windowed import SlowStart, Window


class HyblaSlowStart(SlowStart):
    """Equation 9: W + 2^rho - 1 for every acknowledgment."""

    def __init__(self, rtt0: float = 25.0, most: float = 65535.0, limit: float = 1.0) -> None:
        self.rtt0 = rtt0
        self.most = most
        self.limit = limit
        self.rho = 1.0

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: ARG002  the window tells nothing
        """The smallest round-trip time."""
        self.rho = normalized(ack.min_rtt, self.rtt0)

    def grow(self, ack: Ack, window: Window) -> None:
        """To the threshold."""
        packets = min(ack.delivered, self.limit * ack.acks)
        room = max(min(window.ssthresh, self.most) - window.cwnd, 0.0)
        # 2^1000 is more than any room, and more than that no floating-point number holds.
        window.cwnd += min(packets * (2.0 ** min(self.rho, 1000.0) - 1.0), room)
