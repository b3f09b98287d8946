"""YeAH-TCP: Baiocchi, Castellani and Vacirca, "YeAH-TCP: Yet Another Highspeed TCP", PFLDnet 2007, section 3.

The values that the paper leaves open are those of its authors' module in Linux: Q_max 80, 1/phi 1/8, gamma 1,
epsilon 1/2, delta 1/8, rho 16, zeta 50.

Chosen here:

- windows are real numbers, as the equations have them;
- a round whose last acknowledgment may not grow the window decides nothing;
- a decongestion takes the place of the growth of that acknowledgment, and ends slow start;
- a timeout leaves half.
"""

from math import inf

from reference.facts import Ack, Congestion, Signal
from reference.windowed import Avoidance, Window


class Yeah(Avoidance):
    """Scalable TCP while the queue is short, Reno otherwise, and a queue that it empties by itself."""

    def __init__(
        self,
        q_max: float = 80.0,
        phi: float = 8.0,
        gamma: float = 1.0,
        epsilon: float = 0.5,
        delta: float = 0.125,
        rho: float = 16.0,
        zeta: float = 50.0,
        limit: float = inf,
    ) -> None:
        self.q_max, self.phi, self.gamma = q_max, phi, gamma
        self.epsilon, self.delta = epsilon, delta
        self.rho, self.zeta = rho, zeta
        self.limit = limit
        self.round: int | None = None
        self.shortest = inf
        self.q = 0.0
        self.cwnd_reno = 2.0
        self.count_reno = 0
        self.count_fast = 0
        self.give_back = 0.0

    def measure(self, ack: Ack, window: Window) -> None:
        """RTT_min: the smallest round-trip time of the last window of data."""
        rtt_min = inf
        if ack.round != self.round:
            if self.round is not None:
                rtt_min = self.shortest
            self.round = ack.round
            self.shortest = inf
        if ack.rtt is not None:
            self.shortest = min(self.shortest, ack.rtt)
        if rtt_min < inf and ack.may_grow:
            self.decide(rtt_min, ack.min_rtt, window)

    def decide(self, rtt_min: float, rtt_base: float, window: Window) -> None:
        """Equations 1 to 3: Q = RTT_queue * cwnd / RTT_min, L = RTT_queue / RTT_base.

        Q < Q_max and L < 1/phi is the Fast mode, anything else the Slow mode. There, with Q > Q_max, Q is
        taken from the window, but no more than down to cwnd_reno, the estimate of the window of a greedy Reno
        flow, and ssthresh goes along.
        """
        rtt_queue = round((rtt_min - rtt_base) * 1e9) / 1e9
        self.q = rtt_queue * (window.cwnd / rtt_min)
        cwnd = window.cwnd
        if self.q > self.q_max or rtt_queue * self.phi > rtt_base:
            if self.q > self.q_max and cwnd > self.cwnd_reno:
                reduced = max(cwnd - min(self.q / self.gamma, self.epsilon * cwnd), self.cwnd_reno)
                self.give_back = cwnd - reduced
                cwnd = reduced
                window.ssthresh = min(window.ssthresh, window.cwnd)
            self.cwnd_reno = max(cwnd / 2.0, 2.0) if self.cwnd_reno <= 2.0 else self.cwnd_reno + 1.0
            self.count_reno += 1
        else:
            self.count_fast += 1
            if self.count_fast > self.zeta:
                self.cwnd_reno = 2.0
                self.count_fast = 0
            self.count_reno = 0

    def adjust(self, ack: Ack, window: Window) -> None:
        """Fast: a packet for every hundred, as in STCP, or Reno's growth where that is more. Slow: Reno's."""
        if self.give_back > 0.0:
            window.cwnd -= self.give_back
            window.ssthresh = window.cwnd
            self.give_back = 0.0
            return
        counted = ack.delivered if self.limit == inf else min(ack.delivered, self.limit * ack.acks)
        reno = min(counted / window.cwnd, ack.acks)
        window.cwnd += reno if self.count_reno > 0 else max(reno, 0.01 * counted)

    def back_off(self, event: Congestion, used: float) -> float:
        """min(max(cwnd / 8, Q), cwnd / 2) is taken, unless a Reno flow competes: count_reno >= rho."""
        self.count_fast = 0
        self.give_back = 0.0
        self.cwnd_reno = max(self.cwnd_reno / 2.0, 2.0)
        taken = used / 2.0
        if event.signal != Signal.TIMEOUT and self.count_reno < self.rho:
            taken = min(max(self.delta * used, self.q), taken)
        return max(used - taken, 2.0)
