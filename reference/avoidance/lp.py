"""TCP-LP: Kuzmanovic and Knightly, "TCP-LP: A Distributed Algorithm for Low Priority Data Transfer".

IEEE INFOCOM 2003, section III; also IEEE/ACM Transactions on Networking 14(4), 2006.

Left open there, or not to be had, and chosen here:

- round-trip times stand for one-way delays;
- a second indication counts for packets that were sent after the window was halved, two rounds later;
- the inference phase begins again when the window falls to one packet, as in Linux;
- losses and growth are those of standard TCP.
"""

from math import inf

from reference.facts import Ack, Congestion
from reference.windowed import Avoidance, Window


class Lp(Avoidance):
    """Gives way when the smoothed delay leaves the lowest part of its range.

    The smallest and the largest delay are estimated from the beginning and used in congestion avoidance,
    after the first loss.
    """

    def __init__(
        self, delta: float = 0.15, gamma: float = 0.125, inference: float = 3.0, limit: float = inf
    ) -> None:
        self.delta = delta
        self.gamma = gamma
        self.inference = inference
        self.limit = limit
        self.smoothed: float | None = None
        self.d_min = self.d_max = 0
        self.inference_ends: float | None = None
        self.halved_in = 0

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: ARG002  the window tells nothing
        """Equation 1: d = (1 - gamma) d + gamma d_i; in nanoseconds."""
        if ack.rtt is None:
            return
        delay = round(ack.rtt * 1e9)
        if self.smoothed is None:
            self.smoothed = float(delay)
            self.d_min = self.d_max = delay
        self.smoothed += self.gamma * (delay - self.smoothed)
        self.d_min, self.d_max = min(self.d_min, delay), max(self.d_max, delay)

    def is_congested(self) -> bool:
        """Early congestion: d > d_min + (d_max - d_min) delta."""
        return (
            self.smoothed is not None and self.smoothed > self.d_min + (self.d_max - self.d_min) * self.delta
        )

    def adjust(self, ack: Ack, window: Window) -> None:
        """The pseudo-code's events of a new acknowledgment."""
        now = round(ack.now * 1e9)
        inferring = self.inference_ends is not None and now < self.inference_ends
        if self.is_congested() and (not inferring or ack.round >= self.halved_in + 2):
            window.cwnd = 1.0 if inferring else max(window.cwnd / 2.0, 1.0)
            window.ssthresh = min(window.ssthresh, window.cwnd)
            self.inference_ends = now + self.inference * round(ack.srtt * 1e9)
            self.halved_in = ack.round
        elif not inferring:
            counted = ack.delivered if self.limit == inf else min(ack.delivered, self.limit * ack.acks)
            window.cwnd += min(counted / window.cwnd, ack.acks)

    def back_off(self, event: Congestion, used: float) -> float:  # noqa: ARG002  the same for every signal
        """As standard TCP."""
        return max(used / 2.0, 2.0)
