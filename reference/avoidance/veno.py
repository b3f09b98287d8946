"""TCP Veno: Fu and Liew, "TCP Veno: TCP Enhancement for Transmission over Wireless Access Networks".

IEEE Journal on Selected Areas in Communications 21(2), 2003, section III.

Left open there, and chosen here:

- an increase at every other acknowledgment is half the increase at each;
- before any round-trip time since the last loss, the sender is in the congestive state;
- a mark is no random loss: it halves the window, as a timeout does;
- a window of two packets at least is kept (RFC 5681).
"""

from math import inf

from reference.facts import Ack, Congestion, Signal
from reference.windowed import Avoidance, Window


class Veno(Avoidance):
    """Reno that distinguishes losses by the backlog that Vegas estimates."""

    def __init__(self, beta: float = 3.0, limit: float = inf) -> None:
        self.beta = beta
        self.limit = limit
        self.base_rtt: float | None = None
        self.n: float | None = None

    def measure(self, ack: Ack, window: Window) -> None:
        """N = Actual * (RTT - BaseRTT), Actual = cwnd / RTT, with the smoothed RTT.

        BaseRTT is the smallest round-trip time since the last loss: every loss, found by duplicate
        acknowledgments or by a timeout, resets it.
        """
        if ack.rtt is not None:
            self.base_rtt = ack.rtt if self.base_rtt is None else min(self.base_rtt, ack.rtt)
        if self.base_rtt is not None and ack.srtt > 0.0:
            actual = window.cwnd / ack.srtt
            self.n = actual * (ack.srtt - self.base_rtt)

    def not_congested(self) -> bool:
        """Whether the backlog is below beta."""
        return self.n is not None and self.n < self.beta

    def adjust(self, ack: Ack, window: Window) -> None:
        """One packet per round trip below beta, one in two round trips from there on."""
        counted = ack.delivered if self.limit == inf else min(ack.delivered, self.limit * ack.acks)
        increase = min(counted / window.cwnd, ack.acks)
        window.cwnd += increase if self.not_congested() else increase / 2.0

    def back_off(self, event: Congestion, used: float) -> float:
        """Four fifths after what is taken for a random loss, else half."""
        random = event.signal == Signal.LOSS and self.not_congested()
        self.base_rtt = self.n = None
        return max((0.8 if random else 0.5) * used, 2.0)
