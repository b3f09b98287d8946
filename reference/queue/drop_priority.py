"""Drop priority, from burst-tcp, 3.3.2: routers tell marked packets, and drop them first.

First in, first out. If the buffer is full, the latest marked packet is dropped, which may be the arriving
one; without a marked packet, the arriving packet is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from reference.queue.codel import Waiting

__all__ = ["DropPriority"]


@dataclass
class DropPriority:
    """The packets that wait, each with its mark."""

    limit: int
    """Packets that may wait."""
    packets: list[tuple[Waiting, bool]] = field(default_factory=list)
    dropped: list[Waiting] = field(default_factory=list)

    def enqueue(self, packet: Waiting, marked: bool) -> None:
        """A packet arrives."""
        self.packets.append((packet, marked))
        if len(self.packets) > self.limit:
            places = [place for place, (_, is_marked) in enumerate(self.packets) if is_marked]
            self.dropped.append(self.packets.pop(places[-1] if places else -1)[0])

    def dequeue(self, _now: float = 0.0) -> Waiting | None:
        """The oldest."""
        return self.packets.pop(0)[0] if self.packets else None
