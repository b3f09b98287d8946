"""The queues of a tin, and the hosts of their flows: `cake_hash`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import cast

from reference.queue.cake.packets import Packet
from reference.queue.cobalt import Cobalt

__all__ = ["ISOLATIONS", "FlowTable", "Hashes", "Isolation", "Kind", "Queue"]

QUEUES, WAYS = 1024, 8


class Kind(Enum):
    """The set that a queue belongs to."""

    IDLE = "in no list"
    SPARSE = "within its first quantum"
    SPARSE_WAIT = "empty, past its first quantum, and not known to be bulk"
    BULK = "with packets, past its first quantum"
    DECAYING = "empty, with a state of COBALT that is not at rest"


@dataclass(frozen=True)
class Isolation:
    """The parts of the header by which traffic is told apart."""

    flows: bool
    sources: bool
    destinations: bool


ISOLATIONS = {
    "flowblind": Isolation(flows=False, sources=False, destinations=False),
    "srchost": Isolation(flows=False, sources=True, destinations=False),
    "dsthost": Isolation(flows=False, sources=False, destinations=True),
    "hosts": Isolation(flows=False, sources=True, destinations=True),
    "flows": Isolation(flows=True, sources=False, destinations=False),
    "dual-srchost": Isolation(flows=True, sources=True, destinations=False),
    "dual-dsthost": Isolation(flows=True, sources=False, destinations=True),
    "triple-isolate": Isolation(flows=True, sources=True, destinations=True),
}


@dataclass(frozen=True)
class Hashes:
    """Whole numbers of flows and hosts."""

    flow: Callable[[object], int] = hash
    source: Callable[[object], int] = hash
    destination: Callable[[object], int] = hash


@dataclass(eq=False)
class Queue:
    """A queue of the table."""

    cobalt: Cobalt
    kind: Kind = Kind.IDLE
    deficit: int = 0
    source: int | None = None
    """The place of its flow's source among the hosts."""
    destination: int | None = None

    @property
    def packets(self) -> deque[Packet]:
        """The packets that wait in it."""
        return cast("deque[Packet]", self.cobalt.packets)

    @property
    def backlog(self) -> int:
        """Their bytes."""
        return sum(packet.size for packet in self.packets)


def place(wanted: int, tags: dict[int, int], is_free: Callable[[int], bool]) -> int:
    """The place in the set of `wanted`: one with its tag, or else a free one, or else the first.

    The places of a set are tried in turn from the first, which the hash gives. A tag is 0 before it is set.
    """
    first = wanted % QUEUES
    ways = [first - first % WAYS + (first + way) % WAYS for way in range(WAYS)]
    tagged = [way for way in ways if tags.get(way, 0) == wanted]
    return next(iter(tagged + [way for way in ways if is_free(way)]), first)


@dataclass
class FlowTable:
    """1024 queues in sets of eight, and as many hosts."""

    isolation: Isolation
    hashes: Hashes
    make: Callable[[], Cobalt]
    queues: dict[int, Queue] = field(default_factory=dict)
    """Those that were used."""
    tags: dict[int, int] = field(default_factory=dict)
    sources: dict[int, int] = field(default_factory=dict)
    """The tags of sources."""
    destinations: dict[int, int] = field(default_factory=dict)

    def queue_of(self, packet: Packet) -> Queue:
        """The queue for a packet.

        A queue that another flow takes over, because it is idle or the whole set is in use, belongs to the
        hosts of the new flow.
        """
        tag = self.tag(packet)
        number = place(tag, self.tags, lambda way: self.queue(way).kind is Kind.IDLE)
        queue = self.queue(number)
        if queue.kind is Kind.IDLE or self.tags.get(number, 0) != tag:
            queue.source = queue.destination = None
            self.settle(queue, packet)
        self.tags[number] = tag
        return queue

    def queue(self, number: int) -> Queue:
        """The queue with this number."""
        return self.queues.setdefault(number, Queue(self.make()))

    def tag(self, packet: Packet) -> int:
        """The hash of the flow; without flows that of the hosts, joined by an exclusive or."""
        if self.isolation.flows:
            return self.hashes.flow(packet.flow)
        source = self.hashes.source(packet.source) if self.isolation.sources else 0
        return source ^ (self.hashes.destination(packet.destination) if self.isolation.destinations else 0)

    def settle(self, queue: Queue, packet: Packet) -> None:
        """Finds the places of the hosts: one that has no bulk flow may be replaced."""
        if not self.isolation.flows:
            return
        if self.isolation.sources:
            wanted = self.hashes.source(packet.source)
            queue.source = place(wanted, self.sources, lambda way: self.bulk_of_source(way) == 0)
            self.sources[queue.source] = wanted
        if self.isolation.destinations:
            wanted = self.hashes.destination(packet.destination)
            queue.destination = place(
                wanted, self.destinations, lambda way: self.bulk_of_destination(way) == 0
            )
            self.destinations[queue.destination] = wanted

    def bulk_of_source(self, host: int) -> int:
        """The number of bulk flows from a host."""
        return sum(queue.kind is Kind.BULK and queue.source == host for queue in self.queues.values())

    def bulk_of_destination(self, host: int) -> int:
        """The number of bulk flows to a host."""
        return sum(queue.kind is Kind.BULK and queue.destination == host for queue in self.queues.values())

    def load(self, queue: Queue) -> int:
        """The bulk flows of the busier host, of those that the isolation looks at; one at least."""
        source = 0 if queue.source is None else self.bulk_of_source(queue.source)
        destination = 0 if queue.destination is None else self.bulk_of_destination(queue.destination)
        return max(1, source, destination)
