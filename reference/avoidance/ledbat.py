"""LEDBAT: RFC 6817, section 2.4.

Left open there, or not to be had, and chosen here:

- round-trip times stand for one-way delays;
- slow start, which the RFC does not describe, ends when the queueing delay reaches the target;
- windows move only where the sender filled them, as those of all avoidances here;
- a timeout (the RFC's CTO) leaves a threshold of half the window.
"""

from reference.facts import Ack, Congestion
from reference.queueing_delay import QueueingDelay
from reference.windowed import Avoidance, Window

MIN_CWND = 2.0


class Ledbat(Avoidance):
    """Keeps the queueing delay at the target, and so yields to whatever builds a longer queue."""

    def __init__(self, target: float = 100.0, gain: float = 1.0, allowed_increase: float = 1.0) -> None:
        self.target = target * 1e6
        self.gain = gain
        self.allowed_increase = allowed_increase
        self.delay = QueueingDelay()

    def measure(self, ack: Ack, window: Window) -> None:
        """Slow start ends at the target."""
        if ack.rtt is None:
            return
        self.delay.measure(ack.now, ack.rtt)
        if window.cwnd < window.ssthresh and self.delay.value >= self.target:
            window.ssthresh = window.cwnd

    def adjust(self, ack: Ack, window: Window) -> None:
        """The pseudo-code of section 2.4.2."""
        off_target = (self.target - self.delay.value) / self.target
        cwnd = window.cwnd + self.gain * off_target * ack.delivered / window.cwnd
        flightsize = ack.in_flight + ack.delivered
        window.cwnd = max(min(cwnd, flightsize + self.allowed_increase), MIN_CWND)
        window.ssthresh = min(window.ssthresh, window.cwnd)

    def back_off(self, event: Congestion, used: float) -> float:  # noqa: ARG002  the same for every signal
        """On loss cwnd = min(cwnd, max(cwnd / 2, MIN_CWND * MSS)), at most once per round trip."""
        return max(used / 2.0, MIN_CWND)
