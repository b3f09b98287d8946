"""Scalable TCP as in Linux 6, by a description of its rules.

- w is 100 packets, or the window where that is smaller; to Linux 5.6 it was 50, and an acknowledgment counted
  once.
- A loss or a timeout takes an eighth of the window, cut off to whole packets, at any window; two packets are
  the least.
- A reduction forgets the count.
"""

import math

from reference.facts import Ack, Congestion
from reference.linux_growth import Counter
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


@avoidance("scalable-linux")
class ScalableLinux(Avoidance):
    """A packet for every hundred acknowledged."""

    def __init__(self, count: float = 100.0, limit: float = math.inf) -> None:
        self.ai_count = count
        self.limit = limit
        self.counter = Counter()

    def adjust(self, ack: Ack, window: Window) -> None:
        """Additive increase with w = min(cwnd, 100)."""
        w = min(math.floor(window.cwnd), self.ai_count)
        self.counter.acknowledged(min(ack.delivered, self.limit * ack.acks), w, window)

    def back_off(self, event: Congestion, used: float) -> float:  # noqa: ARG002  the same for every signal
        """An eighth less."""
        self.counter = Counter()
        cwnd = math.floor(used)
        return max(cwnd - cwnd // 8, 2)
