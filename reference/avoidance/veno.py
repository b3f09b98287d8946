"""TCP Veno: Fu and Liew, IEEE Journal on Selected Areas in Communications 21(2), 2003, section III.

The rules of the paper: N = Actual * (RTT - BaseRTT) is the backlog, with Actual = cwnd / RTT; below beta =
3 the state is non-congestive. BaseRTT is the smallest round-trip time, reset whenever packet loss is
detected. RTT is the smoothed one.

Left open there, and chosen here:

- an increase "every other new ACK" is half the increase with every one;
- without a sample since the last loss the state is congestive;
- a mark, which the paper does not have, halves the window.
"""

import math

from reference.facts import Ack, Congestion, Signal
from reference.windowed import Avoidance, Window


class Veno(Avoidance):
    """Reno, refined by Vegas' estimate of the backlog."""

    def __init__(self, beta: float = 3.0, limit: float = math.inf) -> None:
        self.beta = beta
        self.limit = limit
        self.base_rtt = math.inf
        self.backlog = math.inf

    def measure(self, ack: Ack, window: Window) -> None:
        """N = cwnd / RTT * (RTT - BaseRTT)."""
        if ack.rtt is not None:
            self.base_rtt = min(self.base_rtt, ack.rtt)
        if self.base_rtt < math.inf and ack.srtt > 0.0:
            self.backlog = window.cwnd / ack.srtt * (ack.srtt - self.base_rtt)

    def adjust(self, ack: Ack, window: Window) -> None:
        """Section III-B: cwnd += 1 / cwnd for each new ACK, or for every other one "if N >= beta"."""
        packets = min(ack.delivered, self.limit * ack.acks)
        share = 1.0 if self.backlog < self.beta else 0.5
        window.cwnd += share * min(packets * (1.0 / window.cwnd), ack.acks)

    def back_off(self, event: Congestion, used: float) -> float:
        """Section III-C: "if N < beta then ssthresh = cwnd_loss * (4/5), else ssthresh = cwnd_loss / 2"."""
        random = event.signal == Signal.LOSS and self.backlog < self.beta
        self.base_rtt = math.inf
        self.backlog = math.inf
        return max(used * 4.0 / 5.0 if random else used / 2.0, 2.0)
