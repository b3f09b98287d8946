"""Deficit round robin: M. Shreedhar, G. Varghese, "Efficient Fair Queuing Using Deficit Round-Robin", 1996.

From the modules of section 3: active queues are served in turn; in its turn a queue gets its quantum, and
sends the packets that its credit covers. Left open there, and chosen here:

- with no free buffer, the latest packet of the queue with most bytes is dropped ("buffer stealing"); the
  arriving packet counts, and may be the one. `choose` says which of several with equally many bytes it is;
- a queue that loses its only packet in this way is no longer active.

The hash is not part of this: no two flows share a queue.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from reference.queue.codel import Waiting
from reference.queue.sfq import first

__all__ = ["Drr"]


@dataclass
class Drr:
    """A queue per flow."""

    limit: int
    """Packets that may wait in all queues."""
    quantum: Callable[[object], int]
    """Bytes per turn of a flow."""
    queues: dict[object, deque[Waiting]] = field(default_factory=dict)
    active: deque[object] = field(default_factory=deque)
    deficit: dict[object, int] = field(default_factory=dict)
    in_turn: bool = False
    """The first of the active queues has had its quantum."""
    dropped: list[Waiting] = field(default_factory=list)
    choose: Callable[[list[object]], object] = first

    def enqueue(self, packet: Waiting, flow: object) -> None:
        """The enqueuing module."""
        if flow not in self.active:
            self.active.append(flow)
            self.deficit[flow] = 0
        self.queues.setdefault(flow, deque()).append(packet)
        if sum(map(len, self.queues.values())) > self.limit:
            self.steal()

    def steal(self) -> None:
        """The latest packet of the queue with most bytes."""
        most = max(self.bytes(flow) for flow in self.active)
        longest = self.choose([flow for flow in self.active if self.bytes(flow) == most])
        self.dropped.append(self.queues[longest].pop())
        if not self.queues[longest]:
            self.deactivate(longest)

    def bytes(self, flow: object) -> int:
        """All that waits in it."""
        return sum(packet.size for packet in self.queues[flow])

    def deactivate(self, flow: object) -> None:
        """Its deficit counter is zero from here on."""
        if flow == self.active[0]:
            self.in_turn = False
        self.active.remove(flow)
        self.deficit[flow] = 0

    def dequeue(self, _now: float = 0.0) -> Waiting | None:
        """The dequeuing module, up to the next packet."""
        while self.active:
            flow = self.active[0]
            if not self.in_turn:
                self.in_turn = True
                self.deficit[flow] += self.quantum(flow)
            if self.queues[flow][0].size <= self.deficit[flow]:
                packet = self.queues[flow].popleft()
                self.deficit[flow] -= packet.size
                if not self.queues[flow]:
                    self.deactivate(flow)
                return packet
            self.active.rotate(-1)
            self.in_turn = False
        return None
