"""Controlled delay, from RFC 8289 alone: sections 5.3 to 5.6, in words of Python.

The RFC drops. An ECN-capable packet is marked instead of dropped, as in Linux: it leaves, and the rest of the
state changes as with a drop.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from math import sqrt

__all__ = ["Codel", "Waiting"]


@dataclass(frozen=True)
class Waiting:
    """A packet in the queue: when it came, and its size in bytes."""

    came: float
    size: int
    name: object = None
    ecn: int = 0
    """The ECN field as it came."""


@dataclass
class Codel:
    """A queue that drops departing packets once all have waited too long for too long a time.

    Times are in seconds, or in any other unit if target and interval are given in it.
    """

    target: float = 0.005
    interval: float = 0.1
    queue: deque[Waiting] = field(default_factory=deque)
    dropped: list[Waiting] = field(default_factory=list)
    marked: list[Waiting] = field(default_factory=list)
    count: int = 0
    last_count: int = 0
    dropping: bool = False
    drop_next: float = 0.0
    first_above: float = 0.0
    """Zero while the waiting time is not above the target."""
    largest: int = 0

    def enqueue(self, packet: Waiting) -> None:
        """Takes a packet in."""
        self.largest = max(self.largest, packet.size)
        self.queue.append(packet)

    def dequeue(self, now: float) -> Waiting | None:
        """Returns the next packet; packets dropped on the way are added to `dropped`."""
        packet, ok_to_drop = self._take(now)
        if self.dropping:
            if not ok_to_drop:
                self.dropping = False
            while self.dropping and now >= self.drop_next:
                self.count += 1
                if self._mark(packet):
                    self.drop_next = self._control_law(self.drop_next)
                    break
                self._drop(packet)
                packet, ok_to_drop = self._take(now)
                if ok_to_drop:
                    self.drop_next = self._control_law(self.drop_next)
                else:
                    self.dropping = False
        elif ok_to_drop:
            if not self._mark(packet):
                self._drop(packet)
                packet, _ = self._take(now)
            self.dropping = True
            before = self.count - self.last_count
            recent = now - self.drop_next < 16 * self.interval
            self.count = before if before > 1 and recent else 1
            self.drop_next = self._control_law(now)
            self.last_count = self.count
        return packet

    def _take(self, now: float) -> tuple[Waiting | None, bool]:
        if not self.queue:
            self.first_above = 0.0
            return None, False
        packet = self.queue.popleft()
        left = sum(other.size for other in self.queue)
        if now - packet.came < self.target or left <= self.largest:
            self.first_above = 0.0
            return packet, False
        if self.first_above == 0:
            self.first_above = now + self.interval
            return packet, False
        return packet, now >= self.first_above

    def _control_law(self, time: float) -> float:
        return time + self.interval / sqrt(self.count)

    def _drop(self, packet: Waiting | None) -> None:
        if packet is not None:
            self.dropped.append(packet)

    def _mark(self, packet: Waiting | None) -> bool:
        if packet is None or not packet.ecn:
            return False
        self.marked.append(packet)
        return True
