"""Mahimahi's link: delivery opportunities of a trace, from its manual and `link_queue.cc` alone.

Each line is a time in milliseconds at which 1504 bytes (the code's PACKET_SIZE; the manual says 1500) may
leave the queue. Packets are read from a TUN device with its header of 4 bytes, which counts: a packet of
1500 bytes takes one opportunity.

The queue is emulated up to the present before a packet enters it, so that an opportunity
at the instant of an arrival is over. An opportunity serves the rest of the packet that an earlier one has
begun, then the packets in the queue in order, the last of them perhaps in part; a part for which it finds no
bytes is lost. At its end the trace begins again, counted from its last time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

__all__ = ["departures"]

MILLISECOND = 1_000_000


def departures(
    trace: Sequence[int],
    packets: Sequence[tuple[int, int]],
    *,
    until: int,
    size: int = 1504,
    header: int = 4,
) -> list[int | None]:
    """When each packet has left entirely, in nanoseconds; none for those that wait at `until`.

    `packets` are (arrival in nanoseconds, bytes), by arrival; `trace` is in milliseconds.
    """
    left: list[int | None] = [None] * len(packets)
    queue: deque[int] = deque()
    arriving = 0
    rest = 0  # bytes of the queue's first packet that have not left
    cycle = 0
    while True:
        for line in trace:
            now = (cycle * trace[-1] + line) * MILLISECOND
            if now > until:
                return left
            while arriving < len(packets) and packets[arriving][0] < now:
                queue.append(arriving)
                arriving += 1
            budget = size
            while budget and queue:
                rest = rest or packets[queue[0]][1] + header
                sent = min(budget, rest)
                budget -= sent
                rest -= sent
                if not rest:
                    left[queue.popleft()] = now
        cycle += 1
