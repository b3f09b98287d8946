"""TCP Fast Start (Padmanabhan and Katz 1998, as 3.3.2 of burst-tcp has it): a file over an idle path.

"Fast Start caches network state information of recent connections such as congestion window size, slow start
threshold, and RTT variables." "The congestion window variable is always set to the most recent congestion
window size". The priority field is "marked by end hosts identifying Fast Start packets as the low priority
class", and routers "drop Fast Start packets first".

The text does not describe the events after a window that does not fit; `docs/algorithms/sharing.md` states
our choice: the connection continues as if it had taken over nothing, and retransmits all unacknowledged
packets. Every packet of the window taken over is a Fast Start packet when it is sent for the first time.

Links take no time to transmit, losses are found by three duplicates, there is no limited transmit,
and every segment is acknowledged. Packets are counted from nought.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import floor

__all__ = ["Departure", "flights"]

DUPLICATES = 3


@dataclass(frozen=True)
class Departure:
    """A packet's departure."""

    number: int
    low_priority: bool


class _Sender:
    def __init__(self, packets: int, cached_window: float, initial_window: float) -> None:
        self.packets = packets
        self.window = cached_window
        self.initial_window = initial_window
        self.trial_end = floor(cached_window)
        self.on_trial = True
        self.acknowledged = self.next = self.highest = self.duplicates = 0

    def departures(self) -> list[Departure]:
        """The segments that the window permits now."""
        found = []
        while self.next < self.packets and self.next - self.acknowledged < floor(self.window):
            is_new = self.next >= self.highest
            found.append(Departure(self.next, is_new and self.next < self.trial_end))
            self.next += 1
            self.highest = max(self.highest, self.next)
        return found

    def on_acknowledgment(self, upto: int) -> None:
        """In slow start, "each new ACK increases the congestion window by one segment" (3.2.5)."""
        if upto > self.acknowledged:
            self.acknowledged, self.duplicates = upto, 0
            self.next = max(self.next, upto)
            self.window += 1
            return
        self.duplicates += 1
        if self.duplicates == DUPLICATES and self.on_trial and upto < self.trial_end:
            self.on_trial = False
            self.window = self.initial_window
            self.next = upto


def flights(
    packets: int, cached_window: float, initial_window: float, lost: Collection[int] = ()
) -> list[list[Departure]]:
    """The packets that leave in each round trip; `lost` are those that do not arrive the first time."""
    sender = _Sender(packets, cached_window, initial_window)
    missing = set(lost)
    arrived: set[int] = set()
    expected = 0
    found = [sender.departures()]
    while sender.acknowledged < packets:
        leaving: list[Departure] = []
        for departure in found[-1]:
            if departure.number in missing:
                missing.remove(departure.number)
                continue
            arrived.add(departure.number)
            while expected in arrived:
                expected += 1
            sender.on_acknowledgment(expected)
            leaving += sender.departures()
        found.append(leaving)
    return found[:-1]
