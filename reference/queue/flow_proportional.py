"""A buffer of this many packets for each active flow.

"Morris observes that provisioning the bottleneck router to buffer up to 10 packets per flow restores
fairness" (Chen et al., "TCP Behavior in Sub-Packet Regimes", 2.4.1).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from reference.queue.active_flows import ActiveFlows
from reference.queue.codel import Waiting

__all__ = ["FlowProportional"]


@dataclass
class FlowProportional:
    """First in, first out."""

    flows: ActiveFlows
    per_flow: float = 10.0
    limit: int = 1_000_000
    """The packets that may wait for any number of flows."""
    queue: list[Waiting] = field(default_factory=list)
    dropped: list[Waiting] = field(default_factory=list)

    def enqueue(self, packet: Waiting, flow: object) -> None:
        """The arriving packet is dropped if there is no room; its flow counts as active nevertheless."""
        now = int(packet.came)
        self.flows.forget(now)
        self.flows.latest[flow] = now
        room = min(self.limit, max(1, int(self.per_flow * len(self.flows.latest))))
        (self.queue if len(self.queue) < room else self.dropped).append(packet)

    def dequeue(self, _now: float = 0.0) -> Waiting | None:
        """The oldest."""
        return self.queue.pop(0) if self.queue else None
