"""Adaptive Start: burst-tcp, 3.3.3, and the choices that the page of the algorithm states.

"A TCP sender employing Adaptive Start checks the ssthresh variable against an estimated bandwidth-delay
product, at each ACK arrival. When ssthresh value is less than the current estimative, the sender resets
ssthresh to the estimated value."
"""

import math

from reference.facts import Ack, nanoseconds
from reference.registered import slow_start
from reference.windowed import SlowStart, Window


@slow_start("adaptive")
class AdaptiveStart(SlowStart):
    """Chosen: the eligible rate is that of the queueing delay, or of the spacing of two acknowledgments."""

    def __init__(
        self,
        ssthresh: float = 4.0,
        filter: float = 1.0,  # noqa: A002  the parameter's name
        f: float = 0.0,
    ) -> None:
        self.ssthresh = ssthresh
        self.filter = filter
        self.f = f
        self.acks: list[tuple[float, float]] = []
        self.rate: float | None = None
        self.over = False

    def begin(self, window: Window) -> None:
        """A threshold to start from."""
        if math.isinf(window.ssthresh):
            window.ssthresh = self.ssthresh

    def measure(self, ack: Ack, window: Window) -> None:
        """Raises the threshold to the estimate."""
        if self.over or ack.delivered <= 0 or ack.srtt == 0 or ack.min_rtt == 0:
            return
        self.sample(ack)
        if self.rate is not None:
            window.ssthresh = max(window.ssthresh, self.rate * ack.min_rtt)

    def sample(self, ack: Ack) -> None:
        """One acknowledgment; acknowledgments of one instant count as one."""
        if self.acks and nanoseconds(self.acks[-1][0]) == nanoseconds(ack.now):
            self.acks[-1] = (ack.now, self.acks[-1][1] + ack.delivered)
            return
        self.acks.append((ack.now, ack.delivered))
        if len(self.acks) == 1:
            return
        gap = ack.now - self.acks[-2][0]
        sample = self.rate_over(ack.srtt - ack.min_rtt)
        if sample is None:
            return
        if self.rate is None:
            self.rate = sample
            return
        tau = self.filter * ack.srtt
        keep = max((2 * tau - gap) / (2 * tau + gap), 0.0)
        self.rate = keep * self.rate + (1 - keep) * sample

    def rate_over(self, interval: float) -> float | None:
        """Packets per second over the last ``interval``, prolonged to the acknowledgment that it begins with.

        None if the acknowledgments do not go back as far.
        """
        now = self.acks[-1][0]
        for first in range(len(self.acks) - 2, -1, -1):
            begin = self.acks[first][0]
            if nanoseconds(now) - nanoseconds(begin) >= nanoseconds(interval):
                return sum(packets for _, packets in self.acks[first + 1 :]) / (now - begin)
        return None

    def grow(self, ack: Ack, window: Window) -> None:
        """Standard slow start; or B-TCP's steps, whose threshold is the estimate (6.2)."""
        increment = 1.0
        if self.f > 0:
            increment = max(math.floor((window.ssthresh - window.cwnd) / self.f), 1) / window.cwnd
        window.cwnd = min(window.cwnd + increment * min(ack.delivered, ack.acks), window.ssthresh)

    def on_congestion(self) -> None:
        """The start is over."""
        self.over = True
