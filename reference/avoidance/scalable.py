"""Scalable TCP: mesonet, section 5.2.6 and Table 5-8."""

from reference.avoidance.reno import Reno
from reference.facts import Ack, Congestion
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


@avoidance("scalable")
class Scalable(Avoidance):
    """A fixed increase for each acknowledgment, and a decrease by a part of the window for each loss."""

    def __init__(
        self, alpha: float = 0.01, beta: float = 0.875, low_window: float = 16.0, limit: float = 1.0
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.low_window = low_window
        self.standard = Reno(limit)

    def adjust(self, ack: Ack, window: Window) -> None:
        """Equation 38 where equation 37 selects it, "TCP congestion avoidance if cwnd < LW"."""
        if window.cwnd < self.low_window:
            self.standard.adjust(ack, window)
        else:
            window.cwnd += min(ack.delivered, self.standard.limit * ack.acks) * self.alpha

    def back_off(self, event: Congestion, used: float) -> float:
        """Equations 39 and 40: cwnd times beta, after a timeout as well."""
        if used < self.low_window:
            return self.standard.back_off(event, used)
        return max(used * self.beta, 2.0)
