"""Linux's additive increase: a window of whole packets, and a count of those acknowledged.

The rule, by its description: the count of packets acknowledged since the last increase is compared with *w*,
the number for one more packet. A count that has reached *w* already, because *w* fell, gives one packet and
is forgotten. Then the acknowledged packets are added, and every full *w* of them gives a packet; the rest
stays.
"""

import math

from reference.windowed import Window


class Counter:
    """The count of one connection."""

    def __init__(self) -> None:
        self.count = 0.0

    def acknowledged(self, packets: float, w: float, window: Window) -> None:
        """Counts packets."""
        if self.count >= w:
            self.count = 0.0
            window.cwnd += 1
        self.count += packets
        more = math.floor(self.count / w)
        window.cwnd += more
        self.count -= more * w
