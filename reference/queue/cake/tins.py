"""A tin: its parameters, from `cake_set_rate`, and DRR++ with its lists of queues, from `cake_dequeue`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from reference.queue.cake.diffserv import Share
from reference.queue.cake.flow_table import FlowTable, Hashes, Isolation, Kind, Queue
from reference.queue.cake.shaper import TinClock, duration
from reference.queue.cobalt import Cobalt

__all__ = ["Parameters", "Tin"]

LEAST_QUANTUM, MOST_QUANTUM = 300, 1514


@dataclass(frozen=True)
class Parameters:
    """Bytes and nanoseconds that follow from a tin's rate."""

    quantum: int
    """Bytes of a flow per turn."""
    target: int
    interval: int
    mtu_time: int
    """The duration of a frame."""

    @classmethod
    def at(cls, rate: int | None, mtu: int, target: int, interval: int) -> Parameters:
        """The target is one and a half frames or longer, and the interval grows with it."""
        mtu_time = duration(mtu, rate)
        longer = max(mtu_time * 3 // 2, target)
        # A 4096th of a second.
        turn = rate // 8 // 4096 if rate is not None else MOST_QUANTUM
        return cls(
            quantum=min(max(turn, LEAST_QUANTUM), MOST_QUANTUM),
            target=longer,
            interval=max(interval + longer - target, 2 * longer),
            mtu_time=mtu_time,
        )


@dataclass
class Tin:
    """Queues with their turns."""

    parameters: Parameters
    weight: int
    """Bytes per turn of the tin without a shaper."""
    clock: TinClock
    table: FlowTable
    dither: Callable[[], int]
    deficit: int = 0
    new: deque[Queue] = field(default_factory=deque)
    old: deque[Queue] = field(default_factory=deque)
    decaying: deque[Queue] = field(default_factory=deque)

    @classmethod
    def of(
        cls,
        share: Share,
        parameters: Parameters,
        isolation: Isolation,
        hashes: Hashes,
        cobalt: Callable[[Parameters], Cobalt],
        dither: Callable[[], int],
    ) -> Tin:
        """An empty tin."""
        table = FlowTable(isolation, hashes, lambda: cobalt(parameters))
        return cls(parameters, share.quantum, TinClock(share.rate), table, dither)

    @property
    def is_active(self) -> bool:
        """A queue is sparse or bulk."""
        return bool(self.new or self.old)

    @property
    def is_empty(self) -> bool:
        """No packet waits."""
        return not any(queue.packets for queue in (*self.new, *self.old))

    @property
    def bulk_flows(self) -> int:
        """The number of bulk queues."""
        return sum(queue.kind is Kind.BULK for queue in (*self.new, *self.old))

    def quantum(self, queue: Queue) -> int:
        """The bytes of a turn, shared among the bulk flows of a host.

        "A way to apply dithering to avoid accumulating roundoff errors": the quanta are right in the mean.
        """
        return (self.parameters.quantum * (65535 // self.table.load(queue)) + self.dither()) >> 16

    def arrive(self, queue: Queue) -> None:
        """A packet came into the queue."""
        if queue.kind in (Kind.IDLE, Kind.DECAYING):
            if queue.kind is Kind.DECAYING:
                self.decaying.remove(queue)
            self.new.append(queue)
            queue.kind = Kind.SPARSE
            queue.deficit = self.quantum(queue)
        elif queue.kind is Kind.SPARSE_WAIT:
            queue.kind = Kind.BULK

    def turn(self, *, decaying_first: bool) -> deque[Queue]:
        """The list whose first queue has the turn."""
        lists = (self.decaying, self.new, self.old) if decaying_first else (self.new, self.old)
        return next((turn for turn in lists if turn), self.decaying)

    def end_turn(self, turn: deque[Queue]) -> None:
        """The first queue has no credit left."""
        queue = turn.popleft()
        if queue.kind is Kind.SPARSE:
            queue.kind = Kind.BULK if queue.packets else Kind.SPARSE_WAIT
        queue.deficit += self.quantum(queue)
        self.old.append(queue)

    def retire(self, turn: deque[Queue], now: int) -> None:
        """The first queue is empty: "keep in the flowchain until the state has decayed to rest"."""
        queue = turn.popleft()
        cobalt = queue.cobalt
        cobalt.on_empty(now)
        if cobalt.p_drop > 0 or cobalt.count > 0 or now < cobalt.drop_next:
            queue.kind = Kind.DECAYING
            self.decaying.append(queue)
        else:
            queue.kind = Kind.IDLE
