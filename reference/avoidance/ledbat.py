"""LEDBAT: RFC 6817, section 2.4.2 (the sender) and 2.4.3.

Left open there, or not available here, and chosen here:

- delays are round-trip times;
- slow start, which the RFC permits without describing it, ends when the queueing delay reaches the target;
- FILTER is the minimum, as section 2.4.2 recommends.
"""

from reference.facts import Ack, Congestion
from reference.queueing_delay import QueueingDelay
from reference.registered import avoidance
from reference.windowed import Avoidance, Window

MIN_CWND = 2.0


@avoidance("ledbat")
class Ledbat(Avoidance):
    """GAIN * off_target packets per round trip, with off_target = (TARGET - queuing_delay) / TARGET."""

    def __init__(self, target: float = 100.0, gain: float = 1.0, allowed_increase: float = 1.0) -> None:
        self.target = target / 1000.0
        self.gain = gain
        self.allowed_increase = allowed_increase
        self.delays = QueueingDelay()

    def measure(self, ack: Ack, window: Window) -> None:
        """Takes the sample of this acknowledgment, and ends slow start at the target."""
        if ack.rtt is None:
            return
        self.delays.sample(ack.now, ack.rtt)
        delay = self.delays.queuing_delay()
        if delay >= self.target and window.cwnd < window.ssthresh:
            window.ssthresh = window.cwnd

    def adjust(self, ack: Ack, window: Window) -> None:
        """The lines of section 2.4.2 in their order."""
        delay = self.delays.queuing_delay()
        off_target = (self.target - delay) / self.target
        cwnd = window.cwnd + self.gain * off_target * ack.delivered / window.cwnd
        # "flightsize is the amount of data outstanding before this ACK was received"
        max_allowed_cwnd = ack.in_flight + ack.delivered + self.allowed_increase
        window.cwnd = max(min(cwnd, max_allowed_cwnd), MIN_CWND)
        window.ssthresh = min(window.ssthresh, window.cwnd)

    def back_off(self, event: Congestion, used: float) -> float:  # noqa: ARG002  all signals alike
        """Half: cwnd = min(cwnd, max(cwnd / 2, MIN_CWND))."""
        return max(used / 2.0, MIN_CWND)
