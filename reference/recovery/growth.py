"""The growth of a window that is not used in full."""

import math
from dataclasses import dataclass

from reference.windowed import Window


@dataclass
class LimitedGrowth:
    """draft-ietf-ccwg-ratelimited-increase, section 3, or ``tcp_cwnd_validate`` of Linux."""

    rule: str
    """`rate-limited`, `linux` or `window`: not at all."""
    max_fs: float
    """maxFS, or max_packets_out: the largest flight, in segments."""
    is_cwnd_limited: bool = False
    cwnd_usage_seq: int = 0
    sent_until: int = 0
    cwnd: float = 0.0

    def on_flight(self, flight: int, una: int, nxt: int, *, by_window: bool) -> None:
        """FlightSize is updated, and the sender stops."""
        if self.rule != "linux":
            self.max_fs = max(flight, self.max_fs)
            return
        by_window = by_window or flight + 1 > self.cwnd
        if not by_window and nxt == self.sent_until:
            # tcp_write_xmit: nothing was sent.
            return
        self.sent_until = nxt
        is_more = not self.is_cwnd_limited and flight > self.max_fs
        if una >= self.cwnd_usage_seq or by_window or is_more:
            self.is_cwnd_limited, self.max_fs, self.cwnd_usage_seq = by_window, flight, nxt

    def on_window(self, cwnd: float) -> None:
        """Section 3: "Upon a reduction of cwnd (for any reason), maxFS MUST be reset to zero"."""
        if cwnd < self.cwnd and self.rule != "linux":
            self.max_fs = 0
        self.cwnd = cwnd

    def permits(self, cwnd: float, ssthresh: float) -> tuple[bool, float]:
        """The permission to grow, and the flight that bounds the growth."""
        if self.rule == "window":
            return False, math.inf
        if self.rule == "linux":
            # tcp_is_cwnd_limited
            return self.is_cwnd_limited or (cwnd < ssthresh and cwnd < 2 * self.max_fs), math.inf
        return cwnd < Window(cwnd, ssthresh).limit(self.max_fs), float(self.max_fs)
