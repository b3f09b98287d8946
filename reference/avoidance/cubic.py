"""CUBIC: RFC 9438.

Left open, and chosen here:

- cwnd at a congestion event is the smaller of cwnd and flight_size throughout;
- a stage that begins at W_max or above, so that K has no meaning, is handled like one without a W_max;
- in the Reno-friendly region cwnd is set to W_est, but not downwards;
- t leaves out the time before an acknowledgment that may not grow the window. Before any other acknowledgment
  it leaves out the time beyond the measured round-trip time, in which the sender was idle;
- `margin`: a difference from W_max of this many packets or fewer is ignored, as Linux ignores one below a
  packet;
- after an ECN signal the threshold may be one packet, as the window may.
"""

import math

from reference.facts import Ack, Congestion, Signal
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


@avoidance("cubic")
class Cubic(Avoidance):
    """Section 4."""

    def __init__(
        self,
        c: float = 0.4,
        beta: float = 0.7,
        fast_convergence: float = 1.0,
        limit: float = 1.0,
        ecn_beta: float = 0.0,
        margin: float = 0.0,
    ) -> None:
        self.margin = margin
        self.ecn_beta = ecn_beta
        self.c = c
        self.beta = beta
        self.fast_convergence = fast_convergence >= 0.5
        self.limit = limit
        self.W_max: float | None = None
        self.cwnd_prior = 0.0
        self.after_timeout = False
        self.in_stage = False
        self.t = 0.0
        self.K = 0.0
        self.plateau = 0.0
        self.W_est = 0.0
        self.previous_ack: float | None = None

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: ARG002  the window tells nothing
        """Section 4.2: t "MUST NOT include periods during which cwnd has not been updated"."""
        since = 0.0 if self.previous_ack is None else ack.now - self.previous_ack
        self.previous_ack = ack.now
        if self.in_stage and ack.may_grow:
            self.t += min(since, ack.srtt if ack.rtt is None else ack.rtt)

    def start_stage(self, cwnd_epoch: float) -> None:
        """Section 4.2, and for the stages without a W_max 4.8 and 4.10."""
        self.in_stage = True
        self.t = 0.0
        self.W_est = cwnd_epoch
        if self.W_max is None:
            self.cwnd_prior = cwnd_epoch
        if self.W_max is None or self.after_timeout or self.W_max <= cwnd_epoch:
            self.K = 0.0
            self.plateau = cwnd_epoch
        else:
            self.K = ((self.W_max - cwnd_epoch) / self.c) ** (1 / 3)
            self.plateau = self.W_max
        self.after_timeout = False

    def W_cubic(self, t: float) -> float:  # noqa: N802  the source's name
        """Equation 1."""
        return self.c * math.pow(t - self.K, 3) + self.plateau

    def adjust(self, ack: Ack, window: Window) -> None:
        """Sections 4.2 to 4.5."""
        if not self.in_stage:
            self.start_stage(window.cwnd)
        cwnd = window.cwnd
        alpha = 3 * (1 - self.beta) / (1 + self.beta)
        if self.W_est >= self.cwnd_prior:
            alpha = 1.0
        self.W_est = self.W_est + alpha * (ack.delivered / cwnd)
        if self.W_cubic(self.t) < self.W_est:
            window.cwnd = max(cwnd, self.W_est)
            return
        target = self.W_cubic(self.t + ack.srtt)
        if target < cwnd:
            target = cwnd
        elif target > 1.5 * cwnd:
            target = 1.5 * cwnd
        window.cwnd = cwnd + min(ack.delivered, self.limit * ack.acks) * ((target - cwnd) / cwnd)

    def back_off(self, event: Congestion, used: float) -> float:
        """Sections 4.6 to 4.8, and RFC 8511 for marks."""
        if self.W_max is not None and used < self.W_max - self.margin and self.fast_convergence:
            self.W_max = used * (1 + self.beta) / 2
        else:
            self.W_max = used
        self.cwnd_prior = used
        self.after_timeout = event.signal == Signal.TIMEOUT
        self.in_stage = False
        if event.signal != Signal.ECN:
            return max(used * self.beta, 2.0)
        return max(used * (self.ecn_beta or self.beta), 1.0)
