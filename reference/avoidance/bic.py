"""BIC: mesonet, section 5.2.1 and Table 5-3.

Read otherwise than printed:

- equation 9: BIC's slow start ends when SSW_B >= SMAX_B, not MAX_B, which is twice the window;
- equation 10, third case: (cwnd - TGT_B) / (B_B - 1), not TGT_B / (B_B - 1);
- equation 10: a delta of 1 belongs to the second case, a window of TGT_B + B_B to the third;
- equations 11 and 12: cwnd is compared with PREV_B before PREV_B is set.

Before the first loss all of MIN_B, MAX_B, PREV_B and TGT_B are 0.
"""

from reference.avoidance.reno import Reno
from reference.facts import Ack, Congestion, Signal
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


@avoidance("bic")
class Bic(Avoidance):
    """Binary search between MIN_B and MAX_B, slow start beyond."""

    def __init__(
        self,
        beta: float = 0.8,
        b: float = 4.0,
        sigma: float = 20.0,
        smax: float = 32.0,
        low_window: float = 14.0,
        limit: float = 1.0,
    ) -> None:
        self.beta = beta
        self.b = b
        self.sigma = sigma
        self.smax = smax
        self.low_window = low_window
        self.standard = Reno(limit)
        self.MIN = 0.0
        self.MAX = 0.0
        self.PREV = 0.0
        self.TGT = 0.0
        self.SS = False
        self.SST = 0.0
        self.SSW = 0.0

    def f_alpha(self, delta: float, cwnd: float) -> float:
        """Equation 10."""
        tgt = self.TGT
        if (delta < 1 and cwnd < tgt) or (tgt <= cwnd < tgt + self.b):
            return self.b / self.sigma
        if 1 <= delta < self.smax and cwnd < tgt:
            return delta
        if cwnd >= tgt and self.b <= cwnd - tgt < self.smax * (self.b - 1):
            return (cwnd - tgt) / (self.b - 1)
        return self.smax

    def adjust(self, ack: Ack, window: Window) -> None:
        """Equation 9."""
        if window.cwnd < self.low_window:
            self.standard.adjust(ack, window)
            return
        counted = min(ack.delivered, self.standard.limit * ack.acks)
        if not self.SS:
            delta = (self.TGT - window.cwnd) / self.b
            window.cwnd += counted * (self.f_alpha(delta, window.cwnd) / window.cwnd)
            if window.cwnd < self.MAX:
                self.MIN = window.cwnd
                self.TGT = (self.MAX + self.MIN) / 2
            else:
                self.SS = True
                self.MAX = window.cwnd * 2
                self.SSW = 1.0
                self.SST = window.cwnd + 1
        else:
            window.cwnd += counted * (self.SSW / window.cwnd)
            if window.cwnd >= self.SST:
                self.SSW = self.SSW * (self.b / (self.b - 1))
                self.SST = window.cwnd + self.SSW
            if self.smax <= self.SSW:
                self.SS = False
                self.TGT = (self.MAX + self.MIN) / 2

    def back_off(self, event: Congestion, used: float) -> float:
        """Equations 11 and 12, which are BIC's at any window."""
        self.MAX = (1 + self.beta) / 2 * used if used < self.PREV else used
        self.PREV = self.MAX
        self.TGT = 0.0
        self.SS = False
        if event.signal == Signal.TIMEOUT or used < self.low_window:
            return max(used / 2, 2.0)
        return max(self.beta * used, 2.0)
