"""TCP Illinois: Liu, Basar and Srikant, "TCP-Illinois: A loss- and delay-based congestion control algorithm".

Performance Evaluation 65, 2008, section 3.

Left open there, and chosen here:

- the smallest and the largest round-trip time are of single packets, as in Linux;
- alpha and beta are computed when a round trip has ended, from the mean over its samples;
- a timeout leaves half, and alpha and beta begin again from those of standard TCP;
- before the first round trip has ended, alpha is 1 and beta one half;
- the low delay need not last before it was ever left.
"""

from math import inf

from reference.facts import Ack, Congestion, Signal
from reference.windowed import Avoidance, Window


class Illinois(Avoidance):
    """AIMD whose alpha falls and whose beta rises with the mean queueing delay."""

    def __init__(
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
        limit: float = inf,
    ) -> None:
        self.alpha_min, self.alpha_max = alpha_min, alpha_max
        self.beta_min, self.beta_max = beta_min, beta_max
        self.low_window = low_window
        self.theta = theta
        self.parts = d1, d2, d3
        self.limit = limit
        self.alpha, self.beta = 1.0, 0.5
        self.rounds_below = inf
        self.round: int | None = None
        self.samples: list[int] = []
        self.longest = 0

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: ARG002  only round-trip times count
        """T_min, T_max, and the mean over a round trip; in nanoseconds."""
        if self.round is not None and ack.round != self.round and self.samples:
            t_min = min(round(ack.min_rtt * 1e9), *self.samples)
            self.update(sum(self.samples) / len(self.samples) - t_min, self.longest - t_min)
        if ack.round != self.round:
            self.round = ack.round
            self.samples = []
        if ack.rtt is not None:
            self.samples.append(round(ack.rtt * 1e9))
            self.longest = max(self.longest, self.samples[-1])

    def update(self, da: float, dm: float) -> None:
        """Equations 1 and 2, by the mean queueing delay d_a and the largest queueing delay d_m.

        alpha = alpha_max if d_a <= d1, else k1 / (k2 + d_a), where k1 and k2 make it continuous and
        alpha_min at d_m. Once d_a was above d1, alpha returns to alpha_max when d_a has stayed below d1 for
        theta round trips.
        beta = beta_min if d_a <= d2, beta_max if d_a >= d3, k3 + k4 d_a in between.
        """
        d1, d2, d3 = (part * dm for part in self.parts)
        if da <= d1:
            self.rounds_below += 1
            if self.rounds_below >= self.theta:
                self.alpha = self.alpha_max
        else:
            self.rounds_below = 0
            spread = self.alpha_max - self.alpha_min
            k1 = (dm - d1) * self.alpha_min * self.alpha_max / spread
            k2 = (dm - d1) * self.alpha_min / spread - d1
            self.alpha = k1 / (k2 + da)
        if da <= d2:
            self.beta = self.beta_min
        elif da >= d3:
            self.beta = self.beta_max
        else:
            k3 = (self.beta_min * d3 - self.beta_max * d2) / (d3 - d2)
            k4 = (self.beta_max - self.beta_min) / (d3 - d2)
            self.beta = k3 + k4 * da

    def adjust(self, ack: Ack, window: Window) -> None:
        """W + alpha / W for every packet; below W_thresh alpha is 1 and beta 1/2."""
        counted = ack.delivered if self.limit == inf else min(ack.delivered, self.limit * ack.acks)
        alpha = 1.0 if window.cwnd < self.low_window else self.alpha
        window.cwnd += min(counted / window.cwnd, ack.acks) * alpha

    def back_off(self, event: Congestion, used: float) -> float:
        """W - beta W."""
        if event.signal == Signal.TIMEOUT:
            self.alpha, self.beta = 1.0, 0.5
            self.rounds_below = inf
            self.samples = []
            return max(used / 2.0, 2.0)
        beta = 0.5 if used < self.low_window else self.beta
        return max(used - beta * used, 2.0)
