"""BIC as in Linux 6, by a description of its rules.

- Windows are whole packets, and so is w, the packets acknowledged for one more: every division is cut off.
- Up to low_window, w is the window. The other cases, with max the window of the last loss and B = 4:
  below max, with d = (max - cwnd) / B: w = cwnd / smax for d > smax; w = cwnd smooth / B for d <= 1; else
  cwnd / d; from max: w = cwnd smooth / B for less than B packets beyond; w = cwnd (B - 1) / (cwnd - max) for
  less than (B - 1) smax packets beyond; else cwnd / smax.
- Before the first loss w is 20 at the most.
- Above low_window, w is multiplied by 16 and divided by r, and is at least 1. r is 16 times the packets per
  acknowledgment and begins with 32; an acknowledgment of n packets outside of recovery adds n - r / 16, where
  r / 16 is cut off.
- A loss sets max to the window, or, with fast convergence and a window below max, to (1 + beta) / 2 of it. It
  keeps half up to low_window and beta above it, two packets at the least.
- A timeout keeps as much, then sets max to 0 and r to 32.
"""

import math

from reference.facts import Ack, Congestion, Signal
from reference.linux_growth import Counter
from reference.registered import avoidance
from reference.windowed import Avoidance, Window

B = 4


@avoidance("bic-linux")
class BicLinux(Avoidance):
    """Binary search by counts of acknowledged packets."""

    def __init__(
        self,
        beta: float = 819 / 1024,
        smax: float = 16.0,
        smooth: float = 20.0,
        low_window: float = 14.0,
        fast_convergence: float = 1.0,
        limit: float = math.inf,
    ) -> None:
        self.beta = beta
        self.smax = smax
        self.smooth = smooth
        self.low_window = low_window
        self.fast_convergence = fast_convergence
        self.limit = limit
        self.last_max = 0
        self.delayed_ack = 32
        self.counter = Counter()

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: ARG002  the window tells nothing
        """Averages packets per acknowledgment."""
        if ack.advanced and not (ack.recovering or ack.suspended):
            self.delayed_ack += math.floor(ack.delivered) - self.delayed_ack // 16

    def w(self, cwnd: int) -> float:
        """The packets acknowledged for one more packet of the window, before the correction by the ratio."""
        distance = cwnd - self.last_max
        if distance < 0:
            d = -distance // B
            if d > self.smax:
                return math.floor(cwnd / self.smax)
            return math.floor(cwnd * self.smooth / B) if d <= 1 else cwnd // d
        if distance < B:
            return math.floor(cwnd * self.smooth / B)
        if distance < (B - 1) * self.smax:
            return cwnd * (B - 1) // distance
        return math.floor(cwnd / self.smax)

    def adjust(self, ack: Ack, window: Window) -> None:
        """Increase."""
        cwnd = math.floor(window.cwnd)
        w: float = cwnd
        if cwnd > self.low_window:
            w = self.w(cwnd)
            if self.last_max == 0:
                w = min(w, 20)
            w = max(math.floor(w * 16 / self.delayed_ack), 1)
        self.counter.acknowledged(min(ack.delivered, self.limit * ack.acks), w, window)

    def back_off(self, event: Congestion, used: float) -> float:
        """Decrease."""
        self.counter = Counter()
        cwnd = math.floor(used)
        if cwnd < self.last_max and self.fast_convergence:
            self.last_max = math.floor(cwnd * (1 + self.beta) / 2)
        else:
            self.last_max = cwnd
        if event.signal == Signal.TIMEOUT:
            self.last_max = 0
            self.delayed_ack = 32
        if cwnd <= self.low_window:
            return max(cwnd // 2, 2)
        return max(math.floor(cwnd * self.beta), 2)
