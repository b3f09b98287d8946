"""YeAH-TCP: Baiocchi, Castellani and Vacirca, "YeAH-TCP: Yet Another Highspeed TCP", PFLDnet 2007, section 3.

The values, and the rules that the paper leaves open, are those of the authors' module in Linux (tcp_yeah.c):
Q_max 80, 1/phi 1/8, gamma 1, epsilon 1/2, delta 1/8, rho 16, zeta 50, alpha 1/100.

Chosen here: real windows; decisions fall to the acknowledgment that closes a round trip and may grow the
window; a decongestion replaces its growth; a timeout keeps half.
"""

import math

from reference.avoidance.vegas import RoundTrips
from reference.facts import Ack, Congestion, Signal
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


@avoidance("yeah")
class Yeah(Avoidance):
    """Fast mode, slow mode, precautionary decongestion."""

    def __init__(
        self,
        q_max: float = 80.0,
        phi: float = 8.0,
        gamma: float = 1.0,
        epsilon: float = 0.5,
        delta: float = 0.125,
        rho: float = 16.0,
        zeta: float = 50.0,
        limit: float = math.inf,
    ) -> None:
        self.q_max, self.phi, self.gamma, self.epsilon = q_max, phi, gamma, epsilon
        self.delta, self.rho, self.zeta, self.limit = delta, rho, zeta, limit
        self.round_trips = RoundTrips()
        self.q = 0.0
        self.slow_rounds = 0
        self.fast_rounds = 0
        self.reno = 2.0
        self.decongested = False

    def measure(self, ack: Ack, window: Window) -> None:
        """Once per round trip: "Q = RTT_queue * G", "L = RTT_queue / RTT_base"."""
        finished = self.round_trips.measure(ack)
        self.decongested = False
        if not finished or not ack.may_grow:
            return
        base, rtt = ack.min_rtt, min(finished)
        self.q = window.cwnd * (1.0 - base / rtt)
        if self.q <= self.q_max and rtt / base - 1.0 <= 1.0 / self.phi:
            self.fast()
        else:
            self.slow(window)

    def fast(self) -> None:
        """Scalable TCP's rule; a greedy competitor is forgotten in time."""
        self.slow_rounds = 0
        self.fast_rounds += 1
        if self.fast_rounds > self.zeta:
            self.fast_rounds = 0
            self.reno = 2.0

    def slow(self, window: Window) -> None:
        """Reno's rule, and a decongestion where Q is above Q_max."""
        if self.q > self.q_max and window.cwnd > self.reno:
            window.cwnd = max(window.cwnd - min(self.q / self.gamma, window.cwnd * self.epsilon), self.reno)
            window.ssthresh = window.cwnd
            self.decongested = True
        self.reno = max(window.cwnd / 2.0, 2.0) if self.reno <= 2.0 else self.reno + 1.0
        self.slow_rounds += 1

    def adjust(self, ack: Ack, window: Window) -> None:
        """A packet for every hundred, or for every window."""
        if self.decongested:
            return
        packets = min(ack.delivered, self.limit * ack.acks)
        per = window.cwnd if self.slow_rounds else min(window.cwnd, 100.0)
        window.cwnd += min(packets / per, ack.acks)

    def back_off(self, event: Congestion, used: float) -> float:
        """Q packets, between delta and half of the window; half in competition with a greedy flow."""
        reduction = used / 2.0
        if event.signal != Signal.TIMEOUT and self.slow_rounds < self.rho:
            reduction = max(min(self.q, used / 2.0), used * self.delta)
        self.fast_rounds = 0
        self.reno = max(self.reno / 2.0, 2.0)
        return max(used - reduction, 2.0)
