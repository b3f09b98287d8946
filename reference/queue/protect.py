"""The gateway that protects retransmissions: "TCP Behavior in Sub-Packet Regimes" (Chen et al.), section 6.2.

"The gateway + SFQ consists of five separate buffers each of length 4 packets along with another buffer of
size 5 packets for our retransmitted packet queue. The gateway + droptail is identical [...] except the 20
packets of buffer space are allocated to a single droptail queue." Left open there, and chosen as
`docs/queues.md` states:

- a retransmission ends at or below the highest sequence number seen of its flow; a packet that occupies no
  sequence number, such as an acknowledgment, is not a retransmission;
- the queue of retransmissions is served before the other;
- with `pushout`, which is not in the paper, a retransmission may use all buffers, and if those are full a new
  packet is dropped by the rule of the queue of new packets, as it is for a new packet that comes then.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from reference.queue.codel import Waiting
from reference.queue.sfq import Sfq

__all__ = ["Protect"]


@dataclass
class Protect:
    """A queue of retransmissions before one of new packets."""

    limit: int = 25
    """All buffers."""
    reserve: int = 5
    """Those of retransmissions."""
    depth: int | None = None
    """With SFQ for new packets: the buffers of each flow."""
    fair: bool = False
    """New packets are in the queues of SFQ; otherwise in one."""
    pushout: bool = False
    again: deque[Waiting] = field(default_factory=deque)
    highest: dict[object, int] = field(default_factory=dict)
    dropped: list[Waiting] = field(default_factory=list)
    offered_again: int = 0
    new: Sfq = field(init=False)

    def __post_init__(self) -> None:
        self.new = Sfq(self.limit - self.reserve, self.depth, dropped=self.dropped)

    def enqueue(self, packet: Waiting, flow: object, end: int | None) -> None:
        """A packet whose last byte comes before sequence number `end`; None if it has none."""
        if end is not None:
            if end <= self.highest.get(flow, 0):
                self.offered_again += 1
                self._enqueue_again(packet)
                return
            self.highest[flow] = end
        self.new.enqueue(packet, flow if self.fair else None)
        while self.new.turns and self.waiting > self.limit:
            self.new.drop_from_longest()

    def _enqueue_again(self, packet: Waiting) -> None:
        room = self.limit if self.pushout else self.reserve
        if self.pushout and self.waiting >= self.limit and self.new.turns:
            self.new.drop_from_longest()
        if (self.waiting if self.pushout else len(self.again)) >= room:
            self.dropped.append(packet)
        else:
            self.again.append(packet)

    @property
    def waiting(self) -> int:
        """All packets that wait."""
        return len(self.new) + len(self.again)

    def dequeue(self, _now: float = 0.0) -> Waiting | None:
        """A retransmission if there is one."""
        return self.again.popleft() if self.again else self.new.dequeue()
