"""Stochastic fairness queueing, from P. McKenney, "Stochastic Fairness Queueing", INFOCOM 1990.

We do not have the paper's full text: this follows its abstract and first pages (conversations are hashed to
FCFS queues that are served in turn, and share the buffers; a full buffer takes from the longest queue) and S.
Floyd's and others' accounts of it. With a `depth`, queues have buffers of their own, as in section 6.2 of
"TCP Behavior in Sub-Packet Regimes" (Chen et al.). Left open there, and chosen here:

- a queue that was empty comes last in the turns;
- the arriving packet counts, and may be the one that is dropped;
- `choose` says which of equally long queues is the longest: any may be.

The hash is not part of this: no two flows share a queue.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from reference.queue.codel import Waiting

__all__ = ["Sfq", "first"]


def first(equals: list[object]) -> object:
    """The queue whose turn is next."""
    return equals[0]


@dataclass
class Sfq:
    """A queue per flow, served in turn."""

    limit: int
    """Packets that may wait in all queues."""
    depth: int | None = None
    """Packets that may wait in one."""
    queues: dict[object, deque[Waiting]] = field(default_factory=dict)
    turns: deque[object] = field(default_factory=deque)
    """Flows with packets, in the order in which they are served."""
    dropped: list[Waiting] = field(default_factory=list)
    choose: Callable[[list[object]], object] = first

    def enqueue(self, packet: Waiting, flow: object) -> None:
        """The latest packet of the longest queue is dropped if too many wait."""
        queue = self.queues.setdefault(flow, deque())
        if self.depth is not None and len(queue) >= self.depth:
            self.dropped.append(packet)
            return
        queue.append(packet)
        if len(queue) == 1:
            self.turns.append(flow)
        if len(self) > self.limit:
            self.drop_from_longest()

    def drop_from_longest(self) -> None:
        """Its latest packet."""
        most = max(len(self.queues[flow]) for flow in self.turns)
        longest = self.choose([flow for flow in self.turns if len(self.queues[flow]) == most])
        self.dropped.append(self.queues[longest].pop())
        if not self.queues[longest]:
            self.turns.remove(longest)

    def dequeue(self, _now: float = 0.0) -> Waiting | None:
        """One packet of the queue whose turn it is."""
        if not self.turns:
            return None
        flow = self.turns.popleft()
        packet = self.queues[flow].popleft()
        if self.queues[flow]:
            self.turns.append(flow)
        return packet

    def __len__(self) -> int:
        """Packets that wait."""
        return sum(len(queue) for queue in self.queues.values())
