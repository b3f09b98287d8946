"""TCP Hybla: Caini and Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks".

International Journal of Satellite Communications and Networking 22(5), 2004, sections 3.1 and 3.2.

Left open there, and chosen here:

- RTT is the smallest round-trip time, so that the normalised round-trip time does not grow with the queue;
- before any measurement it is RTT0.
"""

from math import inf

from reference.facts import Ack, Congestion
from reference.windowed import Avoidance, Window


def normalized(min_rtt: float, rtt0: float) -> float:
    """The normalised round-trip time: rho = RTT / RTT0, and one at least."""
    return max(min_rtt / (rtt0 / 1000.0), 1.0)


class Hybla(Avoidance):
    """The window of a connection of RTT0, rho times as large, so that the rates are equal."""

    def __init__(self, rtt0: float = 25.0, limit: float = inf) -> None:
        self.rtt0 = rtt0
        self.limit = limit
        self.rho = 1.0

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: ARG002  the window tells nothing
        """The smallest round-trip time."""
        self.rho = normalized(ack.min_rtt, self.rtt0)

    def adjust(self, ack: Ack, window: Window) -> None:
        """Equation 9: W + rho^2 / W for every packet acknowledged, where Reno has W + 1 / W."""
        counted = ack.delivered if self.limit == inf else min(ack.delivered, self.limit * ack.acks)
        window.cwnd += min(counted / window.cwnd, ack.acks) * self.rho**2

    def back_off(self, event: Congestion, used: float) -> float:  # noqa: ARG002  the same for every signal
        """As standard TCP."""
        return max(used / 2.0, 2.0)
