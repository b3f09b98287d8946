"""HighSpeed TCP: mesonet, section 5.2.4 and Table 5-6; RFC 3649, section 5.

RFC 3649 has a Low_Window of 38 packets, and adds nothing to a(w): ``low_window=38, offset=0``.

Beyond the high window both formulas are used as they stand, as in the table of RFC 3649, appendix B, but b(w)
never falls below half of R_HS: at about 600,000 packets it would be 0, and negative from there on.
"""

import math

from reference.avoidance.reno import Reno
from reference.facts import Ack, Congestion
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


@avoidance("hstcp")
class Hstcp(Avoidance):
    """Additive increase and multiplicative decrease that depend on the window."""

    def __init__(
        self,
        low_window: float = 31.0,
        high_window: float = 83_000.0,
        high_decrease: float = 0.1,
        offset: float = 0.5,
        limit: float = 1.0,
    ) -> None:
        self.low_window = low_window
        self.high_window = high_window
        self.high_decrease = high_decrease
        self.offset = offset
        self.standard = Reno(limit)

    def g_beta(self, c: float) -> float:
        """Equation 27."""
        low, high = math.log10(self.low_window), math.log10(self.high_window)
        g = (self.high_decrease - 0.5) * (math.log10(c) - low) / (high - low) + 0.5
        return max(g, 0.5 * self.high_decrease)

    def f_alpha(self, c: float) -> float:
        """Equation 26."""
        g = self.g_beta(c)
        return math.pow(c, 2) * (0.078 / math.pow(c, 1.2)) * 2 * (g / (2 - g)) + self.offset

    def adjust(self, ack: Ack, window: Window) -> None:
        """Equation 25 where equation 24 selects it."""
        if window.cwnd < self.low_window:
            self.standard.adjust(ack, window)
        else:
            counted = min(ack.delivered, self.standard.limit * ack.acks)
            window.cwnd += counted * (self.f_alpha(window.cwnd) / window.cwnd)

    def back_off(self, event: Congestion, used: float) -> float:
        """Equations 28 and 29: [1 - g_beta(cwnd)] times cwnd, after a timeout as well."""
        if used < self.low_window:
            return self.standard.back_off(event, used)
        return max((1 - self.g_beta(used)) * used, 2.0)
