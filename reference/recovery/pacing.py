"""The pacing of window-based senders in Linux: ``tcp_update_pacing_rate``, ``tcp_update_skb_after_send``.

The rate is 200 % of mss * cwnd / srtt in slow start, and 120 % in congestion avoidance. Slow start here means
a cwnd below half of ssthresh, since above that it is about to end. cwnd is packets_out, if that is more.
"""

from dataclasses import dataclass

from reference.recovery.timer import SECOND, nearest

FIRST = 10
"""Segments that the queueing discipline fq did not pace."""


@dataclass
class Pace:
    """The schedule of departures, in nanoseconds. Each segment has a turn of its own."""

    interval: int | None = None
    latest: int | None = None
    held_until: int | None = None
    sent: int = 0
    unpaced: int = FIRST

    def set(self, cwnd: float, ssthresh: float, packets_out: int, srtt: int) -> None:
        """After every decision on the window; there is no rate without a round-trip time."""
        if srtt == 0:
            self.interval = None
            return
        ratio = 2.0 if cwnd < ssthresh / 2 else 1.2
        rate = ratio * max(cwnd, float(packets_out)) / (srtt / SECOND)
        self.interval = nearest(1.0 / rate * SECOND)

    def holds_back(self, now: int) -> bool:
        """True if the next segment has to wait for its turn."""
        if self.interval is None or self.latest is None or now >= self.latest + self.interval:
            return False
        self.held_until = self.latest + self.interval
        return True

    def on_sent(self, now: int) -> None:
        """A segment that did not wait takes a turn too."""
        self.sent += 1
        if self.interval is not None and self.sent >= self.unpaced:
            self.latest = now if self.latest is None else max(now, self.latest + self.interval)
