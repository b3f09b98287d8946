"""Budgets of drops: "TCP Behavior in Sub-Packet Regimes" (Chen et al.), section 6.2.

"The middlebox performs per-flow state monitoring and keeps track of how many packet drops a flow can sustain
without a timeout, and uses this information to make a decision about an impending packet drop at the
bottleneck queue." The choice of a packet when no flow can sustain a drop is that of `docs/queues.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from reference.queue.codel import Waiting
from reference.queue.flow_monitor import Arrival, FlowMonitor

__all__ = ["Budgets"]


@dataclass
class Budgets:
    """Packets leave in the order of arrival; a full buffer drops from flows that can sustain it."""

    limit: int
    monitor: FlowMonitor
    queue: list[tuple[Waiting, Arrival]] = field(default_factory=list)
    dropped: list[Waiting] = field(default_factory=list)

    def enqueue(self, packet: Waiting, arrival: Arrival) -> None:
        """The arriving packet may be the one that is dropped."""
        self.monitor.arrive(arrival)
        self.queue.append((packet, arrival))
        if len(self.queue) > self.limit:
            self._drop()

    def _drop(self) -> None:
        flows = [self.monitor.flows[arrival.flow] for _, arrival in self.queue]
        sustained = [place for place, flow in enumerate(flows) if flow.budget > 0]
        certain = [place for place, flow in enumerate(flows) if flow.drops > 0 and not flow.backed_off]
        place = (sustained or certain or [len(self.queue) - 1])[-1]
        packet, arrival = self.queue.pop(place)
        self.monitor.drop(arrival.flow)
        self.dropped.append(packet)

    def dequeue(self, _now: float = 0.0) -> Waiting | None:
        """The oldest."""
        return self.queue.pop(0)[0] if self.queue else None
