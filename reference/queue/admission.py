"""Admission control: a new flow is let in only while fewer than this many are active.

Massoulié and Roberts, "Arguments in favour of admission control for TCP flows", which Chen et al., "TCP
Behavior in Sub-Packet Regimes", cite; the rule is that of `docs/queues.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from reference.queue.active_flows import ActiveFlows
from reference.queue.codel import Waiting

__all__ = ["Admission"]


@dataclass
class Admission:
    """First in, first out."""

    flows: ActiveFlows
    most: int
    limit: int
    queue: list[Waiting] = field(default_factory=list)
    dropped: list[Waiting] = field(default_factory=list)

    def enqueue(self, packet: Waiting, flow: object) -> None:
        """A flow is admitted with its first packet that is not dropped."""
        now = int(packet.came)
        self.flows.forget(now)
        known = flow in self.flows.latest
        if not known and len(self.flows.latest) >= self.most:
            self.dropped.append(packet)
        elif len(self.queue) >= self.limit:
            if known:
                self.flows.latest[flow] = now
            self.dropped.append(packet)
        else:
            self.flows.latest[flow] = now
            self.queue.append(packet)

    def dequeue(self, _now: float = 0.0) -> Waiting | None:
        """The oldest."""
        return self.queue.pop(0) if self.queue else None
