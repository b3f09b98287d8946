"""Drop from front: what does not fit makes room at the head of the queue.

Lakshman, Neidhardt and Ott, "The drop from front strategy in TCP and in TCP over ATM", INFOCOM 1996.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from reference.queue.codel import Waiting

__all__ = ["DropHead"]


@dataclass
class DropHead:
    """First in, first out, of this many packets."""

    limit: int
    queue: list[Waiting] = field(default_factory=list)
    dropped: list[Waiting] = field(default_factory=list)

    def enqueue(self, packet: Waiting) -> None:
        """The oldest is dropped for a packet that finds the buffer full."""
        if len(self.queue) >= self.limit:
            self.dropped.append(self.queue.pop(0))
        self.queue.append(packet)

    def dequeue(self, _now: float = 0.0) -> Waiting | None:
        """The oldest."""
        return self.queue.pop(0) if self.queue else None
