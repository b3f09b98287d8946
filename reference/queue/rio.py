"""RED with In and Out, from Clark and Fang, "Explicit allocation of best-effort packet delivery service".

One queue, two kinds of packets, and "two sets of RED parameters". At each arriving In packet the router
computes the average number of waiting In packets, and at each arriving packet the average number of all
waiting packets. An In packet is judged by the first, an Out packet by the second: below min it passes, from
max on it is dropped, between them with RED's probability. The rules that the paper leaves open are RED's: an
average decays while the link is idle, by as many usual packets as it could have sent.

In RIO-PS (Guo and Matta 2001, as in burst-tcp, 3.3.3) "border routers identify small (In) and bigger (Out)
flows": `ShortFlows`, by the packets that a flow has sent, since nothing says how long it will be.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable

from reference.queue.codel import Waiting
from reference.queue.red import Red

__all__ = ["Rio", "ShortFlows"]


class ShortFlows:
    """The edge: the first packets of each connection are In. A SYN opens one."""

    def __init__(self, packets: int) -> None:
        self.packets = packets
        self.seen: defaultdict[int, int] = defaultdict(int)

    def is_in(self, flow: int, opens: bool) -> bool:
        """True for a packet that is among the first of its flow's connection, which it may open."""
        if opens:
            self.seen[flow] = 0
        self.seen[flow] += 1
        return self.seen[flow] <= self.packets


class Rio:
    """The core: a first-in, first-out queue before a link."""

    def __init__(self, buffer: int, chance: Callable[[], float], within: Red, out: Red) -> None:
        self.buffer = buffer
        self.within = within
        """The set of parameters for In packets."""
        self.out = out
        for rule in (within, out):
            rule.chance = chance
        self.waiting: deque[tuple[Waiting, bool]] = deque()
        self.dropped: list[Waiting] = []
        self.idle_since: float | None = 0.0
        """The time since which the link has nothing to send; None while it sends."""

    def enqueue(self, packet: Waiting, is_in: bool) -> None:
        """A packet arrives: it waits, or is dropped."""
        everything = len(self.waiting)
        within = sum(1 for _, waits_in in self.waiting if waits_in)
        passes = self.out.passes if not is_in else self.within.passes
        if is_in:
            # avg_total is computed at every packet, avg_in at In packets alone.
            self.out.average = averaged(self.out, packet.came, everything, self.idle_since)
        length = within if is_in else everything
        admitted = passes(packet.came, length, 0, self.idle_since, packet.size)
        if admitted and everything < self.buffer:
            # RED: q_time is the start of the idle time, which an arrival that is dropped does not end.
            self.idle_since = None
            self.waiting.append((packet, is_in))
        else:
            self.dropped.append(packet)

    def dequeue(self, now: float) -> Waiting | None:
        """The packet that the link sends next, if any waits."""
        if self.waiting:
            return self.waiting.popleft()[0]
        if self.idle_since is None:
            self.idle_since = now
        return None


def averaged(rule: Red, now: float, packets: int, idle_since: float | None) -> float:
    """RED's average after an arrival."""
    if idle_since is not None:
        keep: float = (1 - rule.weight) ** ((now - idle_since) / rule.service)
        return rule.average * keep
    return rule.average + rule.weight * (packets - rule.average)
