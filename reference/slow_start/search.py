"""SEARCH, version 4: draft-chung-ccwg-search, sections 3 and 4.

Slow start ends when the path delivers less in the last 3.5 round trips than was sent in the 3.5 round trips
that ended one round trip earlier. The draft leaves these points open, and is read as follows:

- A check needs W whole bins before the bin of one round trip ago, and the one before these for the
  interpolation: it is made if prev_idx > W. Version 3 says "prev_idx >= W", where bins hold differences.
- Bins that lie ``EXTRA_BINS`` back are too old: curr_idx - prev_idx < EXTRA_BINS. Version 3 has "<=".
- A round trip that ends within a bin shifts the window of what was sent towards the past. Draft 09 shifts
  it towards the future, by a slip of the sign that its authors know of.
- More than W bins that pass between two acknowledgments leave nothing to compare: the measurement begins
  anew, with the bins of the next acknowledgment's round-trip time.
- An acknowledgment at the very end of a bin belongs to the bin ("if now > bin_end").
- The acknowledgment that finds the capacity does not grow the window. The drain begins with the next.
- The drain never grows the window: where the target, or what is in flight, is above it, it stays.
- The target goes back over as many bins as an initial round trip begins, at most W.
- A congestion episode ends the measurement and the drain, and so does an idle time. A later slow start
  measures afresh.
"""

import math

from reference.facts import Ack, nanoseconds
from reference.registered import slow_start
from reference.windowed import SlowStart, Window


@slow_start("search")
class Search(SlowStart):
    """Cumulative packets delivered and sent, by bins of time, and the drain after them."""

    def __init__(
        self,
        window: float = 3.5,
        bins: float = 10.0,
        extra_bins: float = 15.0,
        threshold: float = 0.26,
        drain: float = 3.0,
        limit: float = math.inf,
    ) -> None:
        self.window = window
        self.w = int(bins)
        self.extra_bins = extra_bins
        self.threshold = threshold
        self.drain = drain
        self.limit = limit
        self.initial_window = 0.0
        self.delivered = self.lost = 0.0
        self.reset()

    def reset(self) -> None:
        """The state before the first acknowledgment."""
        self.acked: list[float] = []
        """Packets delivered since the connection began, at the end of each bin."""
        self.sent: list[float] = []
        """Packets sent since then."""
        self.initial_rtt = self.bin_duration = self.bin_end = 0
        self.target: float | None = None
        """The window at which the drain ends; None while SEARCH measures."""
        self.found_now = False
        self.drain_acked = 0.0

    def begin(self, window: Window) -> None:
        """Takes the initial window, below which the drain does not go."""
        self.initial_window = window.cwnd

    def measure(self, ack: Ack, window: Window) -> None:
        """Counts, and checks at the end of a bin.

        Packets sent are those delivered, declared lost, and in flight. A bin is the first round-trip time,
        times ``window``, divided by the number of bins.
        """
        self.delivered += ack.delivered
        self.lost += ack.lost
        self.found_now = False
        if ack.rtt is None or self.target is not None or window.cwnd >= window.ssthresh:
            return
        now, rtt = nanoseconds(ack.now), nanoseconds(ack.rtt)
        sent = self.delivered + self.lost + ack.in_flight
        if not self.acked:
            self.initial_rtt = rtt
            self.bin_duration = max(math.floor(rtt * self.window / self.w), 1)
            self.bin_end = now + self.bin_duration
            self.acked, self.sent = [self.delivered], [sent]
        elif now > self.bin_end:
            passed = (now - self.bin_end) // self.bin_duration + 1
            if passed > self.w:
                self.reset()
                return
            self.acked += [self.acked[-1]] * (passed - 1) + [self.delivered]
            self.sent += [self.sent[-1]] * (passed - 1) + [sent]
            self.bin_end += passed * self.bin_duration
            if self.reaches_capacity(rtt):
                self.leave(window)

    def reaches_capacity(self, rtt: int) -> bool:
        """Compares what arrived in the last window with what was sent in the one a round trip earlier.

        "prev_idx = curr_idx - (rtt / BIN_DURATION)"; a round trip that is no whole number of bins takes parts
        of two windows.
        """
        current = len(self.acked) - 1
        back, rest = divmod(rtt, self.bin_duration)
        previous = current - back
        if previous <= self.w or back >= self.extra_bins:
            return False
        fraction = rest / self.bin_duration
        delivered = self.acked[current] - self.acked[current - self.w]
        later = self.sent[previous] - self.sent[previous - self.w]
        earlier = self.sent[previous - 1] - self.sent[previous - 1 - self.w]
        sent = fraction * earlier + (1 - fraction) * later
        return sent > 0 and (sent - delivered) / sent >= self.threshold

    def leave(self, window: Window) -> None:
        """The capacity is found: the drain begins, towards what was delivered in one initial round trip."""
        if self.drain == 0:
            window.ssthresh = window.cwnd
            self.reset()
            return
        begun = -(-self.initial_rtt // self.bin_duration)
        delivered = self.acked[-1] - self.acked[-1 - min(begun, self.w)]
        self.target = max(delivered, self.initial_window)
        self.found_now = True

    def grow(self, ack: Ack, window: Window) -> None:
        """Standard slow start; in the drain, a packet for every three that arrive, down to the target."""
        if self.target is None:
            window.cwnd = min(window.cwnd + min(ack.delivered, self.limit * ack.acks), window.ssthresh)
        elif not self.found_now:
            self.drain_acked += ack.delivered
            packets = self.drain_acked // self.drain
            self.drain_acked -= self.drain * packets
            target = min(self.target, window.cwnd)
            window.cwnd = min(max(ack.in_flight + packets, target), window.cwnd)
            if window.cwnd <= target:
                window.ssthresh = window.cwnd
                self.reset()

    def on_congestion(self) -> None:
        """The measurement ends."""
        self.reset()

    def on_idle_restart(self) -> None:
        """The bins hold nothing of what follows."""
        self.reset()
