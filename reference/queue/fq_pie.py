"""FQ-PIE, from Linux: `net/sched/sch_fq_pie.c`, and the parts of `sch_pie.c` that it uses.

PIE for each of several queues, with the waiting times of packets that left, without estimated rates and
probabilities by size. What was chosen:

- real numbers; a probability is at most 1 (Linux catches only the overflow of 64 bits);
- updates of all queues are due at multiples of T_UPDATE from time 0, and come before other events of that
  instant (Linux begins after half a second, and takes 2048 queues at a time);
- every hit resets the accumulated probability (Linux does not if it marks at 8.5 or more);
- a transmitter that falls idle asks for a packet, and so finds queues empty;
- bytes in memory are left out: Linux only counts them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from reference.queue.codel import Waiting

__all__ = ["FqPie", "PieQueue"]

SECOND = 1_000_000_000
MAX_BURST = 150_000_000
LONG = 250_000_000
FRAME = 1514
"""psched_mtu of Ethernet."""
LOW, HIGH = 0.85, 8.5


@dataclass
class PieQueue:
    """A queue, its credits, and `struct pie_vars`."""

    packets: deque[Waiting] = field(default_factory=deque)
    deficit: int = 0
    probability: float = 0.0
    accumulated: float = 0.0
    burst: float = MAX_BURST
    delay: float = 0.0
    delay_old: float = 0.0
    left_at: int | None = None
    """When the last packet left."""

    @property
    def bytes(self) -> int:
        """The backlog."""
        return sum(packet.size for packet in self.packets)


@dataclass
class FqPie:
    """No two flows share a queue here. Times are in nanoseconds."""

    chance: Callable[[], float]
    """A random number from 0 to 1."""
    target: int = 15_000_000
    every: int = 15_000_000
    alpha: float = 0.125
    """Per second, as `beta`."""
    beta: float = 1.25
    quantum: int = 1514
    limit: int = 10240
    mark_up_to: float = 0.1
    queues: dict[object, PieQueue] = field(default_factory=dict)
    new: deque[PieQueue] = field(default_factory=deque)
    old: deque[PieQueue] = field(default_factory=deque)
    updates: int = 0
    dropped: list[Waiting] = field(default_factory=list)
    marked: list[Waiting] = field(default_factory=list)

    def enqueue(self, packet: Waiting, flow: object) -> None:
        """`fq_pie_qdisc_enqueue`."""
        self.update_until(int(packet.came))
        queue = self.queues.setdefault(flow, PieQueue())
        verdict = self.verdict(packet, queue)
        if verdict != "enqueue":
            queue.accumulated = 0.0
        if verdict == "drop":
            self.dropped.append(packet)
            return
        if verdict == "mark":
            self.marked.append(packet)
        queue.packets.append(packet)
        if not any(queue is active for active in (*self.new, *self.old)):
            self.new.append(queue)
            queue.deficit = self.quantum

    def verdict(self, packet: Waiting, queue: PieQueue) -> str:
        """The limit is for all queues together."""
        if sum(len(other.packets) for other in self.queues.values()) >= self.limit:
            return "drop"
        if not self.is_hit(queue):
            return "enqueue"
        return "mark" if packet.ecn and queue.probability <= self.mark_up_to else "drop"

    def is_hit(self, queue: PieQueue) -> bool:
        """`pie_drop_early`."""
        if queue.burst > 0:
            return False
        if queue.delay < self.target / 2 and queue.probability < 0.2:
            return False
        if queue.bytes < 2 * FRAME:
            return False
        queue.accumulated = queue.accumulated + queue.probability if queue.probability > 0 else 0.0
        if queue.accumulated < LOW:
            return False
        return queue.accumulated >= HIGH or self.chance() < queue.probability

    def dequeue(self, now: int) -> Waiting | None:
        """`fq_pie_qdisc_dequeue`: a new queue found empty becomes old only if there are old ones."""
        self.update_until(now)
        while self.new or self.old:
            turn = self.new or self.old
            queue = turn[0]
            if queue.deficit <= 0:
                queue.deficit += self.quantum
                turn.popleft()
                self.old.append(queue)
            elif queue.packets:
                packet = queue.packets.popleft()
                queue.deficit -= packet.size
                self.process_departure(queue, packet, now)
                return packet
            else:
                turn.popleft()
                if turn is self.new and self.old:
                    self.old.append(queue)
        return None

    def process_departure(self, queue: PieQueue, packet: Waiting, now: int) -> None:
        """`pie_process_dequeue`: the delay, and what is left of the burst allowance."""
        queue.delay = now - packet.came if queue.packets else 0.0
        since = now - queue.left_at if queue.left_at is not None else 0
        queue.left_at = now
        queue.burst = max(0.0, queue.burst - since)

    def update_until(self, now: int) -> None:
        """`fq_pie_timer`, as often as it was due."""
        while (self.updates + 1) * self.every <= now:
            self.updates += 1
            for queue in self.queues.values():
                self.calculate_probability(queue)

    def calculate_probability(self, queue: PieQueue) -> None:
        """`pie_calculate_probability`."""
        delay, before = queue.delay, queue.delay_old
        change = self.alpha * (delay - self.target) / SECOND + self.beta * (delay - before) / SECOND
        if queue.probability < 0.1:
            change /= 2
            power = 100.0
            while power <= 1e6 and queue.probability < 1 / power:
                change /= 4
                power *= 10
        elif change > 0.02:
            change = 0.02
        if delay > LONG:
            change += 0.02
        queue.probability = min(max(queue.probability + change, 0.0), 1.0)
        # A delay of zero with a backlog means that the backlog is small, not that there was none.
        if delay == before == 0 and not queue.packets:
            queue.probability *= 1 - 1 / 64
        if max(delay, before) < self.target / 2 and queue.probability == 0:
            queue.burst, queue.left_at, queue.accumulated = MAX_BURST, None, 0.0
        queue.delay_old = delay
