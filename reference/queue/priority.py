"""Strict priorities, from `docs/queues.md`: the highest class that waits is served, the lowest loses packets.

RFC 2475 and others assume that it is known. If the buffer is full, the latest packet of the lowest class is
dropped, which may be the arriving one.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from reference.queue.codel import Waiting

__all__ = ["Priority"]


@dataclass
class Priority:
    """First in, first out within each class."""

    limit: int
    """Packets that may wait in all classes."""
    classes: dict[int, deque[Waiting]] = field(default_factory=dict)
    dropped: list[Waiting] = field(default_factory=list)

    def enqueue(self, packet: Waiting, level: int) -> None:
        """The higher the level, the sooner it leaves."""
        self.classes.setdefault(level, deque()).append(packet)
        if sum(map(len, self.classes.values())) > self.limit:
            self.dropped.append(self.classes[min(self.waiting)].pop())

    def dequeue(self, _now: float = 0.0) -> Waiting | None:
        """The oldest packet of the highest class that has one."""
        return self.classes[max(self.waiting)].popleft() if self.waiting else None

    @property
    def waiting(self) -> list[int]:
        """Classes with packets."""
        return [level for level, packets in self.classes.items() if packets]
