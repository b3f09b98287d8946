"""LEDBAT: RFC 6817, section 2.4.

Left open there, or not to be had, and chosen here:

- round-trip times stand for one-way delays;
- slow start, which the RFC does not describe, ends when the queueing delay reaches the target;
- windows move only where the sender filled them, as those of all avoidances here;
- a timeout (the RFC's CTO) leaves a threshold of half the window.
"""

from reference.facts import Ack, Congestion
from reference.windowed import Avoidance, Window

BASE_HISTORY = 10
"""Minutes."""
CURRENT_FILTER = 4
"""Samples, of which the smallest counts."""
MIN_CWND = 2.0


class Ledbat(Avoidance):
    """Keeps the queueing delay at the target, and so yields to whatever builds a longer queue."""

    def __init__(self, target: float = 100.0, gain: float = 1.0, allowed_increase: float = 1.0) -> None:
        self.target = target * 1e6
        self.gain = gain
        self.allowed_increase = allowed_increase
        self.base_delays: list[int] = []
        self.current_delays: list[int] = []
        self.minute: int | None = None

    def measure(self, ack: Ack, window: Window) -> None:
        """update_base_delay and update_current_delay; delays in nanoseconds."""
        if ack.rtt is None:
            return
        delay = round(ack.rtt * 1e9)
        minute = round(ack.now * 1e9) // 60_000_000_000
        if minute != self.minute:
            self.minute = minute
            self.base_delays = [*self.base_delays[1 - BASE_HISTORY :], delay]
        self.base_delays[-1] = min(self.base_delays[-1], delay)
        self.current_delays = [*self.current_delays[1 - CURRENT_FILTER :], delay]
        if window.cwnd < window.ssthresh and self.queueing_delay() >= self.target:
            window.ssthresh = window.cwnd

    def queueing_delay(self) -> float:
        """FILTER(current_delays) - MIN(base_delays)."""
        return min(self.current_delays, default=0) - min(self.base_delays, default=0)

    def adjust(self, ack: Ack, window: Window) -> None:
        """The pseudo-code of section 2.4.2."""
        off_target = (self.target - self.queueing_delay()) / self.target
        cwnd = window.cwnd + self.gain * off_target * ack.delivered / window.cwnd
        flightsize = ack.in_flight + ack.delivered
        window.cwnd = max(min(cwnd, flightsize + self.allowed_increase), MIN_CWND)
        window.ssthresh = min(window.ssthresh, window.cwnd)

    def back_off(self, event: Congestion, used: float) -> float:  # noqa: ARG002  the same for every signal
        """On loss cwnd = min(cwnd, max(cwnd / 2, MIN_CWND * MSS)), at most once per round trip."""
        return max(used / 2.0, MIN_CWND)
