"""Hoe's estimate: burst-tcp, 3.3.3, and the choices that the page of the algorithm states.

"Hoe's NewReno Modification [..] proposes to estimate the bandwidth-delay product by applying the least
squares estimation on three closely-spaced ACKs."
"""

from itertools import accumulate

from reference.facts import Ack
from reference.registered import slow_start
from reference.windowed import SlowStart, Window


@slow_start("hoe")
class HoeSlowStart(SlowStart):
    """Chosen: ACKs of a round trip are closely spaced; the delay is the smallest round-trip time."""

    def __init__(self, acks: float = 3.0) -> None:
        self.acks = acks
        self.round: int | None = None
        self.arrivals: dict[float, float] = {}
        self.over = False

    def measure(self, ack: Ack, window: Window) -> None:
        """Collects packets by their time of arrival until there are enough."""
        if self.over or ack.delivered <= 0:
            return
        if ack.round != self.round:
            self.round = ack.round
            self.arrivals = {}
        self.arrivals[ack.now] = self.arrivals.get(ack.now, 0.0) + ack.delivered
        if len(self.arrivals) < self.acks:
            return
        if ack.min_rtt == 0:
            self.arrivals = {}
            return
        self.over = True
        window.ssthresh = min(window.ssthresh, max(self.bandwidth() * ack.min_rtt, 2.0))

    def bandwidth(self) -> float:
        """Packets per second: the covariance of time and packets over the variance of time."""
        times = list(self.arrivals)
        packets = list(accumulate(self.arrivals.values()))
        mean_time, mean_packets = sum(times) / len(times), sum(packets) / len(packets)
        covariance = sum(
            (time - mean_time) * (count - mean_packets) for time, count in zip(times, packets, strict=True)
        )
        return covariance / sum((time - mean_time) ** 2 for time in times)

    def grow(self, ack: Ack, window: Window) -> None:
        """Standard slow start."""
        window.cwnd = min(window.cwnd + min(ack.delivered, ack.acks), window.ssthresh)

    def on_congestion(self) -> None:
        """The threshold is the avoidance's from now on."""
        self.over = True
