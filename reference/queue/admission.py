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
    """Those that hold a place."""
    closed: ActiveFlows
    """Those that have given up their place, and may have something to repair."""
    most: int
    limit: int
    queue: list[Waiting] = field(default_factory=list)
    dropped: list[Waiting] = field(default_factory=list)

    def enqueue(self, packet: Waiting, flow: object, closes: bool = False) -> None:
        """A flow is admitted with its first packet that is not dropped; a FIN or RST `closes` it."""
        now = int(packet.came)
        self.flows.forget(now)
        self.closed.forget(now)
        is_late = flow in self.closed.latest
        is_new = not is_late and flow not in self.flows.latest
        if is_new and len(self.flows.latest) >= self.most:
            self.dropped.append(packet)
            return
        has_room = len(self.queue) < self.limit
        (self.queue if has_room else self.dropped).append(packet)
        if is_new and not has_room:
            return
        if closes:
            self.flows.latest.pop(flow, None)
        (self.closed if closes or is_late else self.flows).latest[flow] = now

    def dequeue(self, _now: float = 0.0) -> Waiting | None:
        """The oldest."""
        return self.queue.pop(0) if self.queue else None
