"""Temporal and ensemble sharing (RFC 9040) of connections between two hosts over an idle path.

Temporal sharing initialises a TCB "using cached context from past connections": old_ssthresh and old_RTT
become those of the new one (table 1). The RFC leaves merge(curr, old) open and caches old_sendcwnd as well;
`docs/algorithms/sharing.md` has the latest connection's values, and no window. In ensemble sharing the new
window is "f(sum(old_sendcwnd), N)" (table 5); the page has an (n+1)th of the sum of the n open connections'
windows, which they give up, if that is above the initial window, and the mean of their thresholds.

Links take no time to transmit, every segment is acknowledged, nothing is lost, and files end with a whole
window, whose acknowledgments do not grow the window since it holds nothing back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, inf

__all__ = ["Sender", "retransmission_timeout_s", "temporal_thresholds", "welcome"]


@dataclass
class Sender:
    """A connection's window and threshold, in packets."""

    window: float
    threshold: float = inf

    def flights(self, count: int) -> list[int]:
        """Sends this many whole windows; the acknowledgments of each but the last grow the window."""
        found = []
        for number in range(count):
            found.append(floor(self.window))
            if number < count - 1:
                self.acknowledge(found[-1])
        return found

    def acknowledge(self, packets: int) -> None:
        """RFC 5681, 3.1, equations 2 and 3, for acknowledgments of one segment each."""
        for _ in range(packets):
            if self.window < self.threshold:
                self.window = min(self.window + 1, self.threshold)
            else:
                self.window += 1 / self.window


def temporal_thresholds(alone: Sequence[float]) -> list[float]:
    """The thresholds of successive connections, from the thresholds with which each would begin alone.

    A connection without losses closes with the threshold with which it began; one without a threshold leaves
    none.
    """
    found: list[float] = []
    cached = inf
    for threshold in alone:
        if cached == inf:
            cached = threshold
        found.append(cached)
    return found


def welcome(open_ones: Sequence[Sender], initial_window: float) -> Sender:
    """The beginning of a connection while others are open, which give up the window for it.

    The mean of the thresholds is used even if the share is not; an unlimited one makes the mean unlimited.
    """
    n = len(open_ones)
    threshold = sum(one.threshold for one in open_ones) / n
    share = sum(one.window for one in open_ones) / (n + 1)
    if share <= initial_window:
        return Sender(initial_window, threshold)
    for one in open_ones:
        one.window *= n / (n + 1)
    return Sender(share, threshold)


def retransmission_timeout_s(rtt_s: float, samples: int) -> float:
    """RFC 6298's timeout after equal samples, a packet in flight or two at each (RFC 7323, appendix G)."""
    return rtt_s + 4 * (rtt_s / 2) * 0.75 ** (samples - 1)
