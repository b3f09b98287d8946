"""Westwood+, as its authors describe it and with the filter of Linux.

L. A. Grieco and S. Mascolo, "Performance Evaluation and Comparison of Westwood+, New Reno and Vegas TCP
Congestion Control", ACM Computer Communication Review 34(2), 2004.

The weight of the past in the bandwidth filter is 7/8, as in Linux.

Left open, and chosen here:

- a sample covers a packet-timed round trip, and the first sample is the first estimate;
- a round trip that took less than RTTmin is counted with the next;
- without a sample or without a round-trip time a loss halves the window, as in RFC 5681; - an acknowledged
  loss does not raise the window.
"""

from math import inf

from reference.avoidance.reno import Reno
from reference.facts import Ack, Congestion, Signal
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


@avoidance("westwood")
class Westwood(Avoidance):
    """Adds like Reno and decreases to BWE * RTTmin."""

    def __init__(self, smoothing: float = 0.875, limit: float = inf) -> None:
        self.smoothing = smoothing
        self.standard = Reno(limit)
        self.bwe: float | None = None
        self.rtt_min = 0.0
        self.round: int | None = None
        self.began = 0.0
        self.acked = 0.0

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: ARG002  the window tells nothing
        """A sample d_k / Delta_k for each round trip, through a low-pass filter."""
        self.rtt_min = ack.min_rtt
        if self.round is None:
            self.round, self.began = ack.round, ack.now
            return
        self.acked += ack.delivered
        if ack.round == self.round:
            return
        lasted = ack.now - self.began
        # A difference of two floating-point times may be a little less than a round-trip time that it equals.
        if lasted == 0.0 or lasted < self.rtt_min * (1 - 1e-9):
            return
        sample = self.acked / lasted
        if self.bwe is None:
            self.bwe = sample
        self.bwe = self.smoothing * self.bwe + (1 - self.smoothing) * sample
        self.round, self.began, self.acked = ack.round, ack.now, 0.0

    def adjust(self, ack: Ack, window: Window) -> None:
        """Increases the window "as stated by New Reno"."""
        self.standard.adjust(ack, window)

    def back_off(self, event: Congestion, used: float) -> float:
        """Sets ssthresh to max(2, BWE * RTTmin), in packets."""
        if self.bwe is None or self.rtt_min == 0.0:
            return self.standard.back_off(event, used)
        ssthresh = max(2.0, self.bwe * self.rtt_min)
        if event.signal != Signal.TIMEOUT:
            ssthresh = min(ssthresh, max(used, 2.0))
        return ssthresh
