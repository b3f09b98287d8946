"""TCP Illinois: Liu, Basar and Srikant, Performance Evaluation 65, 2008, section 3.

The paper gives equations 1 and 2 (alpha and beta of the average queueing delay d_a), the values eta_1 =
0.01, eta_2 = 0.1, eta_3 = 0.8, the window W_thresh below which alpha = 1 and beta = 1/2, and theta.

Left open there, and chosen here:

- the largest and the smallest round-trip time are of single packets (Linux' reading), the largest of the
  round trips that have ended;
- alpha and beta are those of standard TCP until the first round trip has ended;
- a timeout leaves half of the window, and alpha and beta are those of standard TCP until a round trip has
  been measured anew (Linux' reading);
- an acknowledgment adds at most alpha; no window falls below two packets (RFC 5681, equation 4).
"""

import math

from reference.avoidance.vegas import RoundTrips
from reference.facts import Ack, Congestion, Signal, nanoseconds
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


@avoidance("illinois")
class Illinois(Avoidance):
    """AIMD whose two numbers follow the queueing delay."""

    def __init__(  # noqa: PLR0913 - the parameters of the specification, by their names
        self,
        alpha_min: float = 0.3,
        alpha_max: float = 10.0,
        beta_min: float = 0.125,
        beta_max: float = 0.5,
        low_window: float = 10.0,
        theta: float = 5.0,
        d1: float = 0.01,
        d2: float = 0.1,
        d3: float = 0.8,
        limit: float = math.inf,
    ) -> None:
        self.alpha_min, self.alpha_max = alpha_min, alpha_max
        self.beta_min, self.beta_max = beta_min, beta_max
        self.low_window = low_window
        self.theta = theta
        self.eta = (d1, d2, d3)
        self.limit = limit
        self.round_trips = RoundTrips()
        self.t_min = 0
        self.t_max = 0
        self.standard()

    def standard(self) -> None:
        """Alpha and beta of standard TCP, and no delay remembered as high."""
        self.alpha = 1.0
        self.beta = 0.5
        self.was_above = False
        self.low_rounds = 0

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: ARG002  it judges later
        """Updates both "once per RTT"."""
        finished = self.round_trips.measure(ack)
        self.t_min = nanoseconds(ack.min_rtt)
        if finished:
            self.update(sum(nanoseconds(sample) for sample in finished) / len(finished))
        if ack.rtt is not None:
            self.t_max = max(self.t_max, nanoseconds(ack.rtt))

    def update(self, t_a: float) -> None:
        """Equations 1 and 2."""
        d_m = self.t_max - self.t_min
        d_a = t_a - self.t_min
        d_1, d_2, d_3 = (eta * d_m for eta in self.eta)
        self.alpha = self.f_1(d_a, d_m, d_1)
        self.beta = self.f_2(d_a, d_2, d_3)

    def f_1(self, d_a: float, d_m: float, d_1: float) -> float:
        """Equation 1; from above d_1, alpha_max comes after theta round trips below it."""
        if d_a > d_1:
            self.was_above = True
            self.low_rounds = 0
            span = self.alpha_max - self.alpha_min
            # kappa_1 / (kappa_2 + d_a), in a form that holds for alpha_max = alpha_min as well.
            return (
                (d_m - d_1)
                * self.alpha_min
                * self.alpha_max
                / ((d_m - d_1) * self.alpha_min + (d_a - d_1) * span)
            )
        if self.was_above:
            self.low_rounds += 1
            if self.low_rounds < self.theta:
                return self.alpha
            self.was_above = False
            self.low_rounds = 0
        return self.alpha_max

    def f_2(self, d_a: float, d_2: float, d_3: float) -> float:
        """Equation 2: a straight line between d_2 and d_3."""
        if d_a <= d_2:
            return self.beta_min
        if d_a >= d_3:
            return self.beta_max
        kappa_3 = (self.beta_min * d_3 - self.beta_max * d_2) / (d_3 - d_2)
        kappa_4 = (self.beta_max - self.beta_min) / (d_3 - d_2)
        return kappa_3 + kappa_4 * d_a

    def adjust(self, ack: Ack, window: Window) -> None:
        """W + alpha / W for each acknowledgment."""
        packets = min(ack.delivered, self.limit * ack.acks)
        alpha = self.alpha if window.cwnd >= self.low_window else 1.0
        window.cwnd += alpha * min(packets / window.cwnd, ack.acks)

    def back_off(self, event: Congestion, used: float) -> float:
        """The window becomes W - beta W; half after a timeout."""
        if event.signal == Signal.TIMEOUT:
            self.standard()
            self.round_trips.samples = []
            return max(used / 2.0, 2.0)
        beta = self.beta if used >= self.low_window else 0.5
        return max((1.0 - beta) * used, 2.0)
