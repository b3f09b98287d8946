"""TCP Hybla: Caini and Firrincieli, Int. Journal of Satellite Communications and Networking 22(5), 2004.

Section 3: rho = RTT / RTT_0; in congestion avoidance W grows by rho^2 / W for each acknowledgment.

Left open there, and chosen here:

- the round-trip time of rho is the smallest one (ns-3's reading);
- rho is at least 1, so that no path is slower than standard TCP (Linux' and ns-3's reading);
- an acknowledgment of several packets adds at most rho^2.
"""

import math

from reference.facts import Ack, Congestion
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


def rho(ack: Ack, rtt0: float) -> float:
    """The normalised round-trip time; RTT_0 in milliseconds."""
    return max(ack.min_rtt / (rtt0 / 1000.0), 1.0)


@avoidance("hybla")
class Hybla(Avoidance):
    """Standard TCP on a clock of RTT_0."""

    def __init__(self, rtt0: float = 25.0, limit: float = math.inf) -> None:
        self.rtt0 = rtt0
        self.limit = limit

    def adjust(self, ack: Ack, window: Window) -> None:
        """Equation 7: W + rho^2 / W."""
        packets = min(ack.delivered, self.limit * ack.acks)
        window.cwnd += rho(ack, self.rtt0) ** 2 * min(packets / window.cwnd, ack.acks)

    def back_off(self, event: Congestion, used: float) -> float:  # noqa: ARG002  all signals alike
        """As standard TCP."""
        return max(used / 2.0, 2.0)
