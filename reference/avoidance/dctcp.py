"""Data Center TCP: RFC 8257.

And the paper behind it: M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010.

Chosen here where the two differ or leave it open:

- the window is reduced when a mark is echoed, at most once per window of data, by the estimate of the windows
  before it (the paper's section 3.1);
- the reduction is a part of cwnd or of the packets in flight, whichever is less (equation 4 of RFC 5681),
  where step 9 has cwnd;
- packets, not bytes, are counted;
- a mark leaves at least what a loss leaves, two packets.
"""

from math import inf

from reference.avoidance.reno import Reno
from reference.facts import Ack, Congestion, Signal
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


@avoidance("dctcp")
class Dctcp(Avoidance):
    """Section 3: reacts to the extent of congestion, not to its presence alone."""

    accurate_ecn = True

    def __init__(self, g: float = 1 / 16, alpha: float = 1.0, limit: float = inf) -> None:
        self.g = g
        self.alpha = alpha
        self.conventional = Reno(limit)
        self.window_of: int | None = None
        self.acked = 0.0
        self.marked = 0.0

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: ARG002  it estimates, whatever the window
        """Section 3.3, steps 1 to 8: once per observation window, of "approximately the Round-Trip Time"."""
        if self.window_of is None:
            self.window_of = ack.round
        if ack.round != self.window_of:
            self.window_of = ack.round
            if self.acked > 0.0:
                m = min(self.marked / self.acked, 1.0)
                self.alpha = self.alpha * (1.0 - self.g) + self.g * m
            self.acked = self.marked = 0.0
        self.acked += ack.delivered
        self.marked += ack.ce_marked

    def adjust(self, ack: Ack, window: Window) -> None:
        """Section 3.4: "grows its congestion window in the same way as conventional TCP"."""
        self.conventional.adjust(ack, window)

    def back_off(self, event: Congestion, used: float) -> float:
        """Step 9, cwnd = cwnd * (1 - DCTCP.Alpha / 2); section 3.5 for losses: as conventional TCP."""
        share = self.alpha if event.signal == Signal.ECN else 1.0
        return max(used * (1.0 - share / 2.0), 2.0)
