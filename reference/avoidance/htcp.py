"""H-TCP: mesonet, section 5.2.5 and Table 5-7.

Read otherwise than printed:

- equation 31: minRTT in seconds;
- equations 33 to 35: Bk_fH is Bk1_H of Table 5-7; the first loss has none, which counts as a large change;
- equation 34: at least 0.5, since "the H-TCP algorithm varies the back-off fraction between 0.5 and 0.8";
- equation 36: acksRTT_H becomes 0, and the elapsed time replaces U_H. A count of ACKs is a count of packets,
  since in mesonet each packet has its own ACK.

Settings of Linux (tcp_htcp.c): `fade`, the part of maxRTT above minRTT that each loss takes away, and
`rtt_step`, the most by which a counted sample may exceed maxRTT (or minRTT, if that is larger).

Left open, and chosen here: until the first loss, the time of the first acknowledgment stands for that of a
loss, and the first U_H begins there, too; a timeout is a loss; without any round-trip time the back-off is
0.5.
"""

import math

from reference.facts import Ack, Congestion, Signal
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


@avoidance("htcp")
class Htcp(Avoidance):
    """Growth by the time since the last loss, back-off by the queueing delay."""

    def __init__(  # noqa: PLR0913 - the parameters of the specification, by their names
        self,
        delta_l: float = 1.0,
        delta_b: float = 0.2,
        beta_min: float = 0.5,
        beta_max: float = 0.8,
        weight: float = 0.5,
        period: float = 0.25,
        rtt_scaling: float = 1.0,
        limit: float = 1.0,
        fade: float = 0.0,
        rtt_step: float = 0.0,
    ) -> None:
        self.fade = fade
        self.rtt_step = rtt_step
        self.delta_l = delta_l
        self.delta_b = delta_b
        self.beta_min = beta_min
        self.beta_max = beta_max
        self.weight = weight
        self.period = period
        self.rtt_scaling = rtt_scaling
        self.limit = limit
        self.beta = beta_min
        self.bk = 0.0
        self.bk1 = 0.0
        self.acks = 0.0
        self.updated: float | None = None
        self.last_loss: float | None = None
        self.min_rtt = 0.0
        self.max_rtt = 0.0

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: ARG002  the window tells nothing
        """Equation 36, whenever U_H has passed: such procedures "are always active"."""
        if self.last_loss is None:
            self.last_loss = ack.now
        self.min_rtt = ack.min_rtt
        if ack.rtt is not None:
            highest = max(self.max_rtt, self.min_rtt) + self.rtt_step
            if self.rtt_step == 0.0 or ack.rtt <= highest:
                self.max_rtt = max(self.max_rtt, ack.rtt)
        if self.updated is None:
            self.updated = ack.now
            return
        self.acks += ack.delivered
        elapsed = ack.now - self.updated
        if elapsed >= self.period:
            self.bk = self.weight * (self.acks / elapsed) + (1 - self.weight) * self.bk
            self.acks = 0.0
            self.updated = ack.now

    def h_alpha(self, delta: float) -> float:
        """Equation 32."""
        return 1 + 10 * (delta - self.delta_l) + 0.25 * (delta - self.delta_l) ** 2

    def f_alpha(self, delta: float) -> float:
        """Equation 31."""
        if delta <= self.delta_l:
            return 1.0
        return max(self.h_alpha(delta) * (self.rtt_scaling * self.min_rtt if self.rtt_scaling else 1.0), 1.0)

    def adjust(self, ack: Ack, window: Window) -> None:
        """Equation 30."""
        if self.last_loss is None:
            raise AssertionError("every acknowledgment is measured first")
        numerator = 2 * (1 - self.beta) * self.f_alpha(ack.now - self.last_loss)
        window.cwnd += min(ack.delivered, self.limit * ack.acks) * (numerator / window.cwnd)

    def g_beta(self) -> float:
        """Equation 34."""
        if self.bk1 == 0.0 or self.max_rtt == 0.0:
            return self.beta_min
        if abs((self.bk - self.bk1) / self.bk1) > self.delta_b:
            return self.beta_min
        return max(min(self.min_rtt / self.max_rtt, self.beta_max), self.beta_min)

    def back_off(self, event: Congestion, used: float) -> float:
        """Equations 33 and 35."""
        self.last_loss = event.now
        timeout = event.signal == Signal.TIMEOUT
        self.beta = 0.5 if timeout else self.g_beta()
        if self.fade and self.max_rtt > self.min_rtt:
            # Times are whole nanoseconds, and so is the distance of two.
            kept_ns = math.floor((1 - self.fade) * round((self.max_rtt - self.min_rtt) * 1e9) + 0.5)
            self.max_rtt = self.min_rtt + kept_ns * 1e-9
        self.bk1 = self.bk
        return max(used * self.beta, 2.0)
