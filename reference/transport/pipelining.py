"""Persistent connections: when objects are complete (3.3.1 of burst-tcp; RFC 9112, 9.3; RFC 5681, 4.1).

"The host client sends a request for an object only after having received the data for the previous one":
without pipelining each object waits for the one before. "Pipelined requests [allow] a client to send
requests while previous responses are still in progress". Head-of-line blocking: "when one packet of a burst
is lost [..] the received packets stay blocked in the receive buffers waiting for the retransmission of the
lost one". With a stream for each object (RFC 9260, 6.6) a loss blocks only the packets of its own object.

One connection runs over a link on which a packet takes `packet_s`, and a path with a delay of `delay_s` each
way. Acknowledgments need no transmission time. The first window has room for all objects requested at once.
The third duplicate shows a loss (RFC 5681, 3.2), and the retransmission waits behind the packets sent before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from reference.transport.control_block_sharing import Sender

__all__ = ["Path", "blocked", "flights_of_pages", "in_streams", "one_by_one", "waits"]


@dataclass(frozen=True)
class Path:
    """A link and the path behind it."""

    packet_s: float
    delay_s: float

    @property
    def round_trip_s(self) -> float:
        """Of a packet of no size."""
        return 2 * self.delay_s

    def arrivals(self, packets: int, lost: int | None = None) -> list[float]:
        """The time at which each packet of a first window arrives, in seconds since the SYN.

        `lost` is lost once.
        """
        there = [self.round_trip_s + (number + 1) * self.packet_s + self.delay_s for number in range(packets)]
        if lost is not None:
            if lost + 3 >= packets:
                raise ValueError("no three duplicates")
            third_duplicate = there[lost + 3] + self.delay_s
            link_is_free = self.round_trip_s + packets * self.packet_s
            there[lost] = max(third_duplicate, link_is_free) + self.packet_s + self.delay_s
        return there


def blocked(arrivals: Sequence[float], sizes: Sequence[int]) -> list[float]:
    """The time at which each object is complete if all data is delivered in order."""
    in_order = list(accumulate(arrivals, max))
    return [in_order[end - 1] for end in accumulate(sizes)]


def in_streams(arrivals: Sequence[float], sizes: Sequence[int]) -> list[float]:
    """The time at which each object is complete if each has its own stream."""
    ends = list(accumulate(sizes))
    return [max(arrivals[end - size : end]) for end, size in zip(ends, sizes, strict=True)]


def waits(arrivals: Sequence[float], *, ordered: bool) -> list[float]:
    """The times without data for the user, from the request on."""
    useful = sorted({0.0, *(accumulate(arrivals, max) if ordered else arrivals)})
    return [later - earlier for earlier, later in pairwise(useful)]


def one_by_one(path: Path, sizes: Sequence[int]) -> list[float]:
    """The time at which each object is complete without pipelining, one after the other."""
    found = []
    begin_s = path.round_trip_s
    for size in sizes:
        found.append(begin_s + size * path.packet_s + path.delay_s)
        begin_s = found[-1] + path.delay_s
    return found


def flights_of_pages(packets: Sequence[int], initial_window: int, is_idle_too_long: bool) -> list[int]:
    """The round trips of successive pages on one connection, on links without transmission times.

    RFC 5681, 4.1: "a TCP SHOULD set cwnd to no more than RW before beginning transmission if the TCP has
    not sent data in an interval exceeding the retransmission timeout", and RW is min(IW, cwnd). Pages, except
    for the last, end with whole windows; acknowledgments of a page's last window do not grow it.
    """
    sender = Sender(float(initial_window))
    found: list[int] = []
    for size in packets:
        if found and is_idle_too_long:
            sender.window = min(float(initial_window), sender.window)
        sent, flights = 0, 0
        while sent < size:
            if flights > 0:
                sender.acknowledge(int(sender.window))
            sent += int(sender.window)
            flights += 1
        found.append(flights)
    return found
