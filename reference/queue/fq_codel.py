"""FlowQueue-CoDel, from RFC 8290, section 4, and RFC 8289 for each queue.

`ce_threshold`, and its selector for packets of L4S, are Linux's: the last lines of `codel_dequeue` in
`include/net/codel_impl.h`.

Left open there, and chosen here:

- a turn ends at zero credits: sections 3.2 and 4.2 say "zero or less" and "a negative number", but also "at
  least a quantum of bytes";
- half of an odd number of packets is rounded up, so that half of one is not none;
- `choose` says which of the queues with equally many bytes is the largest: any may be;
- a transmitter that falls idle asks for a packet, and so finds queues empty, whether or not one waits;
- MAXPACKET of RFC 8289 is the largest packet of all queues: it stands for the interface's MTU.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from reference.queue.codel import Codel, Waiting
from reference.queue.sfq import first

__all__ = ["FqCodel"]

MOST_AT_ONCE = 64


@dataclass
class FlowQueue:
    """A queue, its credits and CoDel's state."""

    codel: Codel
    credits: int = 0

    @property
    def bytes(self) -> int:
        """All that waits in it."""
        return sum(packet.size for packet in self.codel.queue)


@dataclass
class FqCodel:
    """Two lists of active queues over a table of queues, one for each flow: no two flows share one here."""

    target: float = 0.005
    interval: float = 0.1
    quantum: int = 1514
    limit: int = 10240
    memory: float = float("inf")
    ce_threshold: float = float("inf")
    """A packet that has waited for longer is marked."""
    ce_l4s_only: bool = False
    """Only if it came with ECT(1) or CE."""
    queues: dict[object, FlowQueue] = field(default_factory=dict)
    new: deque[FlowQueue] = field(default_factory=deque)
    old: deque[FlowQueue] = field(default_factory=deque)
    dropped: list[Waiting] = field(default_factory=list)
    marked: list[Waiting] = field(default_factory=list)
    largest: int = 0
    choose: Callable[[list[object]], object] = first

    def enqueue(self, packet: Waiting, flow: object) -> None:
        """Section 4.1."""
        self.largest = max(self.largest, packet.size)
        queue = self.queues.setdefault(
            flow,
            FlowQueue(Codel(self.target, self.interval, dropped=self.dropped, marked=self.marked)),
        )
        queue.codel.enqueue(packet)
        if not any(queue is active for active in (*self.new, *self.old)):
            self.new.append(queue)
            queue.credits = self.quantum
        while self.is_over_limit:
            self._drop_half()

    @property
    def is_over_limit(self) -> bool:
        """More waits than may."""
        waiting = [packet for queue in self.queues.values() for packet in queue.codel.queue]
        return len(waiting) > self.limit or sum(packet.size for packet in waiting) > self.memory

    def _drop_half(self) -> None:
        """From the head of the queue with the most bytes."""
        most = max(queue.bytes for queue in self.queues.values())
        largest = self.choose([flow for flow, queue in self.queues.items() if queue.bytes == most])
        queue = self.queues[largest].codel.queue
        for _ in range(min(-(-len(queue) // 2), MOST_AT_ONCE)):
            self.dropped.append(queue.popleft())

    def dequeue(self, now: float) -> Waiting | None:
        """Section 4.2."""
        while self.new or self.old:
            turn = self.new or self.old
            queue = turn[0]
            if queue.credits <= 0:
                queue.credits += self.quantum
                turn.popleft()
                self.old.append(queue)
                continue
            queue.codel.largest = self.largest
            packet = queue.codel.dequeue(now)
            if packet is not None:
                queue.credits -= packet.size
                if now - packet.came > self.ce_threshold and self._may_be_marked(packet):
                    self.marked.append(packet)
                return packet
            turn.popleft()
            if turn is self.new:
                self.old.append(queue)
        return None

    def _may_be_marked(self, packet: Waiting) -> bool:
        return packet.ecn % 2 == 1 if self.ce_l4s_only else packet.ecn != 0
