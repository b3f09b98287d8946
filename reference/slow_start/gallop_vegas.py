"""Gallop-Vegas: burst-tcp, 3.3.3, and the choices that the page of the algorithm states.

"Gallop-Vegas proposal modifies the exponential growth and creates the stable growth, whose increase speed is
between exponential increase and linear increase. In addition, Gallop-Vegas set the initial congestion window
to two packets." No formula is given.
"""

import math

from reference.facts import Ack
from reference.registered import slow_start
from reference.windowed import SlowStart, Window


@slow_start("gallop-vegas")
class GallopVegasSlowStart(SlowStart):
    """Chosen: the n-th round trip adds n packets; Vegas' comparison ends it after any round trip."""

    def __init__(
        self,
        initial: float = 2.0,
        gamma: float = 1.0,
        cut: float = 0.125,
        f: float = 0.0,
        mice: float = 32.0,
    ) -> None:
        self.f = f
        self.mice = mice
        self.initial = initial
        self.gamma = gamma
        self.cut = cut
        self.round: int | None = None
        self.samples: list[float] = []
        self.mean_rtt: float | None = None
        self.step = 1.0
        self.first_window: float | None = None
        self.counted = 0.0
        self.grown = 0.0

    def begin(self, window: Window) -> None:
        """Two packets, whatever the connection begins with."""
        window.cwnd = min(self.initial, window.ssthresh)

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: ARG002  the window tells nothing
        """The mean round-trip time of each round trip; its first acknowledgment belongs to it."""
        if self.round is None:
            self.round = ack.round
        elif ack.round != self.round:
            self.round = ack.round
            self.mean_rtt = sum(self.samples) / len(self.samples) if self.samples else math.nan
            self.samples = []
        if ack.rtt is not None:
            self.samples.append(ack.rtt)

    def grow(self, ack: Ack, window: Window) -> None:
        """A share of the step for each acknowledgment."""
        rtt, self.mean_rtt = self.mean_rtt, None
        if rtt is not None and self.first_window is not None:
            # A round trip without a sample gives no information on the queue.
            if not math.isnan(rtt) and queued(self.first_window, ack.min_rtt, rtt) > self.gamma:
                window.cwnd = max(window.cwnd * (1.0 - self.cut), min(window.cwnd, 2.0))
                window.ssthresh = window.cwnd
                return
            self.step += 1.0
            self.first_window = None
        if self.first_window is None or window.cwnd != self.grown:
            self.first_window = window.cwnd
            self.counted = 0.0
        self.counted += min(ack.delivered, ack.acks)
        step = self.step
        if self.f > 0:
            # 6.2: B-TCP's steps in their place.
            step = max(math.floor((self.mice - self.first_window) / self.f), 1)
        grown = self.first_window + step * (self.counted / self.first_window)
        self.grown = window.cwnd = min(grown, window.ssthresh)

    def on_congestion(self) -> None:
        """The steps begin anew, and so do the samples."""
        self.samples = []
        self.mean_rtt = None
        self.step = 1.0
        self.first_window = None


def queued(window: float, min_rtt: float, rtt: float) -> float:
    """The expected less the actual rate, in packets of the path."""
    expected, actual = window / min_rtt, window / rtt
    return (expected - actual) * min_rtt
