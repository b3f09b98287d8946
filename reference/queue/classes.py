"""Service classes: "TCP Behavior in Sub-Packet Regimes" (Chen et al.), section 6.2.

"More vulnerable flows are placed in higher service classes and less vulnerable flows are placed in lower
service classes; the scheduling queue management policy at the middlebox can be careful to drop packets from
lower service class flows before going up to higher service classes." The probability of a timeout can
"dictate the priority of a packet drop (or transmission)", so that classes may order transmission as well. The
number of classes, the threshold, the order of service and the time of classification, a packet's arrival, are
those of `docs/queues.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from reference.queue.codel import Waiting
from reference.queue.flow_monitor import Arrival, Flow, FlowMonitor

__all__ = ["Classes"]


@dataclass
class Classes:
    """A full buffer drops the latest packet of the lowest class.

    Packets leave in the order of arrival, or, with `transmission`, the highest class first.
    """

    limit: int
    monitor: FlowMonitor
    threshold: float = 0.9
    transmission: bool = False
    queue: list[tuple[Waiting, object, int]] = field(default_factory=list)
    """With each packet, its flow and its class."""
    dropped: list[Waiting] = field(default_factory=list)

    def enqueue(self, packet: Waiting, arrival: Arrival) -> None:
        """The arriving packet may be the one that is dropped."""
        self.queue.append((packet, arrival.flow, self._class_of(self.monitor.arrive(arrival))))
        if len(self.queue) > self.limit:
            lowest = min(class_ for _, _, class_ in self.queue)
            latest = max(place for place, (_, _, class_) in enumerate(self.queue) if class_ == lowest)
            dropped, flow, _ = self.queue.pop(latest)
            self.monitor.drop(flow)
            self.dropped.append(dropped)

    def _class_of(self, flow: Flow | None) -> int:
        """A flow's class: 0 if a drop hardly leads to a timeout, 1 if it does, 2 if to a repetitive one."""
        if flow is None:
            return 0
        if flow.timeout_probability(self.monitor.loss) >= self.threshold:
            return 2 if flow.backed_off else 1
        return 0

    def dequeue(self, _now: float = 0.0) -> Waiting | None:
        """The oldest packet of all, or of the flow that is first in the highest waiting class."""
        if not self.queue:
            return None
        if not self.transmission:
            return self.queue.pop(0)[0]
        highest = max(class_ for _, _, class_ in self.queue)
        first = next(flow for _, flow, class_ in self.queue if class_ == highest)
        return self.queue.pop([flow for _, flow, _ in self.queue].index(first))[0]
