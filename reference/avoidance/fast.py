"""FAST TCP: mesonet, section 5.2.3, equations 18 to 23, with the parameters of Table 5-5.

Read otherwise than printed:

- equation 18 adds its first line to cwnd, and divides by the acknowledgments of the last complete SRTT;
  equation 23 would set the count it divides by to 0 in between;
- equation 21 weighs with beta_F of Table 5-5, 0.5, since no gamma_F is defined;
- equation 22 is a chain of else-ifs: one pass must not go through all of 8, 20 and 200;
- the thresholds of equation 22 are packets per second.
"""

from reference.facts import Ack, Congestion
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


@avoidance("fast")
class Fast(Avoidance):
    """Keeps alpha packets queued."""

    def __init__(  # noqa: PLR0913 - the parameters of the specification, by their names
        self,
        alpha: float = 200.0,
        gamma: float = 0.5,
        period: float = 20.0,
        tuning: float = 0.0,
        tuning_period: float = 200.0,
        low: float = 8.0,
        middle: float = 20.0,
        high: float = 200.0,
        m0m1: float = 1500.0,
        m1m0: float = 1250.0,
        m1m2: float = 15000.0,
        m2m1: float = 12500.0,
    ) -> None:
        self.alpha = alpha
        self.gamma = gamma
        self.period_ns = round(period * 1e6)
        self.tuning = tuning > 0
        self.tuning_period_ns = round(tuning_period * 1e9)
        self.low, self.middle, self.high = low, middle, high
        self.m0m1, self.m1m0, self.m1m2, self.m2m1 = m0m1, m1m0, m1m2, m2m1
        self.target: float | None = None
        self.initial_slow_start = True
        self.window_timer: int | None = None
        self.alpha_timer: int | None = None
        self.throughput_timer: int | None = None
        self.acks = 0.0
        self.acks_last_srtt = 0.0
        self.throughput = 0.0

    def measure(self, ack: Ack, window: Window) -> None:
        """The periodic procedures.

        Section 5.3.3.3: "periodic procedures are invoked (..) only when an ACK or NAK has been received and
        provided that sufficient time has elapsed. Further, the timer is reset only after invoking the related
        procedures". They are activated "only after a flow passes initial slow start"; those "that estimate
        throughput are always active".
        """
        now = round(ack.now * 1e9)
        if self.window_timer is None or self.alpha_timer is None or self.throughput_timer is None:
            self.window_timer = self.alpha_timer = self.throughput_timer = now
        self.acks += ack.delivered
        if ack.srtt > 0 and now - self.throughput_timer >= round(ack.srtt * 1e9):
            self.estimate_throughput(ack.srtt)
            self.throughput_timer = now
        if window.cwnd >= window.ssthresh:
            self.initial_slow_start = False
        if self.initial_slow_start or ack.srtt == 0:
            return
        if now - self.window_timer >= self.period_ns:
            self.target = self.new_target(window.cwnd, ack)
            self.window_timer = now
        if self.tuning and now - self.alpha_timer >= self.tuning_period_ns:
            self.tune_alpha()
            self.alpha_timer = now

    def estimate_throughput(self, srtt: float) -> None:
        """Equation 23: Bk_F <- T_F x Bk_F + (1 - T_F) x acksRTT_F / SRTT_F; acksRTT_F <- 0."""
        self.throughput = 0.5 * self.throughput + 0.5 * (self.acks / srtt)
        self.acks_last_srtt = self.acks
        self.acks = 0.0

    def new_target(self, cwnd: float, ack: Ack) -> float:
        """Equation 21: min[2 cwnd, (1 - gamma) cwnd + gamma (minRTT / SRTT cwnd + alpha)]."""
        recent = ack.min_rtt / ack.srtt * cwnd + self.alpha
        return min(2 * cwnd, (1 - self.gamma) * cwnd + self.gamma * recent)

    def tune_alpha(self) -> None:
        """Equation 22."""
        if self.throughput >= self.m0m1 and self.alpha == self.low:
            self.alpha = self.middle
        elif self.throughput <= self.m1m0 and self.alpha == self.middle:
            self.alpha = self.low
        elif self.throughput >= self.m1m2 and self.alpha == self.middle:
            self.alpha = self.high
        elif self.throughput <= self.m2m1 and self.alpha == self.high:
            self.alpha = self.middle

    def adjust(self, ack: Ack, window: Window) -> None:
        """Equation 18: on every acknowledgment towards the target, down to it at once."""
        if self.target is None:
            return
        if self.target > window.cwnd and self.acks_last_srtt > 0:
            step = (self.target - window.cwnd) * ack.delivered / self.acks_last_srtt
            window.cwnd = min(window.cwnd + step, self.target)
        elif self.target < window.cwnd:
            window.cwnd = self.target

    def back_off(self, event: Congestion, used: float) -> float:  # noqa: ARG002  the same for every signal
        """Equations 19 and 20: half is left, and the target equals it, so it causes no change.

        The smallest is two packets, as in RFC 5681.
        """
        self.initial_slow_start = False
        self.target = None
        return max(used / 2, 2.0)
