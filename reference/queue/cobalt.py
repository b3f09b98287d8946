"""COBALT, CAKE's queue management: Linux, `net/sched/sch_cake.c`, for a single queue.

`reference/queue/cake/` has such a state for each of its queues.

From `cobalt_queue_full`, `cobalt_queue_empty` and `cobalt_should_drop`, and from the loop of `cake_dequeue`
around the last. What was chosen:

- exact roots, with that of 0 as that of 1, as Linux's table has them (Linux's very first, before any count,
  is zero);
- `cobalt_queue_empty` is called once per idle time, for the instant at which the transmitter fell idle (CAKE
  asks again and again until its state has decayed);
- the number of bulk flows, which counts in CAKE's ingress mode, is zero.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from math import sqrt

from reference.queue.codel import Waiting

__all__ = ["Cobalt"]


@dataclass
class Cobalt:
    """CoDel together with BLUE. Times are in nanoseconds."""

    chance: Callable[[], float]
    """A random number from 0 to 1."""
    limit: int
    """Packets that may wait."""
    mtu_time: float
    """The transmission time of an Ethernet frame."""
    target: int = 5_000_000
    interval: int = 100_000_000
    increment: float = 1 / 256
    """p_inc."""
    decrement: float = 1 / 4096
    """p_dec."""
    packets: deque[Waiting] = field(default_factory=deque)
    count: int = 0
    dropping: bool = False
    drop_next: float = 0.0
    blue_timer: float = 0.0
    p_drop: float = 0.0
    was_empty: bool = False
    """The transmitter fell idle, and nothing has arrived since."""
    dropped: list[Waiting] = field(default_factory=list)
    marked: list[Waiting] = field(default_factory=list)

    def enqueue(self, packet: Waiting) -> None:
        """`cake_enqueue`, and `cake_drop` if there are too many then."""
        self.was_empty = False
        self.packets.append(packet)
        while len(self.packets) > self.limit:
            self.on_full(packet.came)
            self.dropped.append(self.packets.popleft())

    def dequeue(self, now: float) -> Waiting | None:
        """The loop of `cake_dequeue`: the last packet is not dropped."""
        while self.packets:
            packet = self.packets.popleft()
            if not self.should_drop(packet, now) or not self.packets:
                return packet
            self.dropped.append(packet)
        if not self.was_empty:
            self.was_empty = True
            self.on_empty(now)
        return None

    def on_full(self, now: float) -> None:
        """`cobalt_queue_full`: BLUE's probability rises at most once per target."""
        if now - self.blue_timer > self.target:
            self.p_drop = min(self.p_drop + self.increment, 1.0)
            self.blue_timer = now
        self.dropping = True
        self.drop_next = now
        self.count = max(self.count, 1)

    def on_empty(self, now: float) -> None:
        """`cobalt_queue_empty`: it falls, and so does CoDel's count."""
        if self.p_drop > 0 and now - self.blue_timer > self.target:
            self.p_drop = max(self.p_drop - self.decrement, 0.0)
            self.blue_timer = now
        self.dropping = False
        if self.count and now >= self.drop_next:
            self.count -= 1
            self.drop_next += self.spacing

    @property
    def spacing(self) -> float:
        """The control law: interval over the root of the count."""
        return self.interval / sqrt(max(self.count, 1))

    def should_drop(self, packet: Waiting, now: float, bulk_flows: int = 0) -> bool:
        """`cobalt_should_drop`: packets may wait for four frames, and for two of each bulk flow."""
        sojourn = now - packet.came
        late = now - self.drop_next
        next_due = self.count > 0 and late >= 0
        if sojourn > self.target and sojourn > max(4, 2 * bulk_flows) * self.mtu_time:
            if not self.dropping:
                self.dropping = True
                self.drop_next = now + self.spacing
            self.count = max(self.count, 1)
        else:
            self.dropping = False
        drop = False
        if next_due and self.dropping:
            if packet.ecn:
                self.marked.append(packet)
            drop = not packet.ecn
            self.count += 1
            self.drop_next += self.spacing
            late = now - self.drop_next
        while next_due and not self.dropping:
            self.count -= 1
            self.drop_next += self.spacing
            late = now - self.drop_next
            next_due = self.count > 0 and late >= 0
        if self.p_drop > 0:
            drop = self.chance() < self.p_drop or drop
        if self.count == 0:
            self.drop_next = now + self.interval
        elif late > 0 and not drop:
            self.drop_next = now
        return drop
