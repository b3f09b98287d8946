"""CAKE as a whole: `cake_enqueue`, `cake_drop`, `cake_dequeue` and `cake_reconfigure`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from reference.queue.cake.ack_filter import superfluous
from reference.queue.cake.diffserv import shares, tin_of
from reference.queue.cake.flow_table import ISOLATIONS, Hashes, Queue
from reference.queue.cake.link_layer import LinkLayer
from reference.queue.cake.packets import Packet
from reference.queue.cake.shaper import SECOND, Shaper
from reference.queue.cake.tins import Parameters, Tin
from reference.queue.cobalt import Cobalt
from reference.queue.codel import Waiting
from reference.queue.sfq import first

__all__ = ["Cake", "Settings"]

FRAMES = 10240
"""The most memory by default, in frames."""
LEAST_MEMORY = 4 << 20


def no_chance() -> float:
    """BLUE never drops."""
    return 1.0


def half() -> int:
    """The mean of the dither: quanta are rounded to whole bytes."""
    return 1 << 15


@dataclass(frozen=True)
class Settings:
    """The words of tc-cake(8). Times are in nanoseconds."""

    rate: int | None = None
    """Bits per second; None is `unlimited`."""
    diffserv: str = "diffserv3"
    isolation: str = "triple-isolate"
    rtt: int = 100_000_000
    link_layer: LinkLayer = field(default_factory=LinkLayer)
    ack_filter: Literal["off", "on", "aggressive"] = "off"
    ingress: bool = False
    """Packets that are dropped have used the link, and count as if they were sent."""
    memory: int | None = None
    """Bytes that may wait."""
    mtu: int = 1514

    @property
    def limit(self) -> int:
        """Four times the bytes of a round trip, within bounds, if nothing is set."""
        if self.memory is not None:
            return self.memory
        most = FRAMES * self.mtu
        if self.rate is None:
            return most
        return min(max(self.rate // 2 * self.rtt // SECOND, LEAST_MEMORY), most)


@dataclass
class Cake:
    """The queue. The order of `dropped` is that of the drops; acknowledgments filtered are apart."""

    settings: Settings
    chance: Callable[[], float] = no_chance
    dither: Callable[[], int] = half
    hashes: Hashes = field(default_factory=Hashes)
    choose: Callable[[list[object]], object] = first
    dropped: list[Waiting] = field(default_factory=list)
    filtered: list[Packet] = field(default_factory=list)
    marked: list[Waiting] = field(default_factory=list)
    turn_of: int = 0
    """The tin that has the turn without a shaper."""
    used: int = 0
    """Bytes that wait."""
    shaper: Shaper = field(init=False)
    tins: list[Tin] = field(init=False)

    def __post_init__(self) -> None:
        settings = self.settings
        self.shaper = Shaper(settings.rate)
        self.tins = [
            Tin.of(
                share,
                Parameters.at(share.rate, settings.mtu, settings.rtt // 20, settings.rtt),
                ISOLATIONS[settings.isolation],
                self.hashes,
                self.cobalt,
                self.dither,
            )
            for share in shares(settings.diffserv, settings.rate)
        ]

    def cobalt(self, parameters: Parameters) -> Cobalt:
        """The state of a queue, which has no limit of its own."""
        return Cobalt(
            self.chance,
            sys.maxsize,
            parameters.mtu_time,
            target=parameters.target,
            interval=parameters.interval,
            dropped=self.dropped,
            marked=self.marked,
        )

    def length(self, packet: Packet) -> int:
        """The bytes on the wire."""
        return self.settings.link_layer.length(packet.size)

    def enqueue(self, packet: Packet) -> None:
        """`cake_enqueue`."""
        now = int(packet.came)
        tin = self.tins[tin_of(self.settings.diffserv, packet.dscp)]
        queue = tin.table.queue_of(packet)
        if tin.is_empty:
            tin.clock.catch_up(now)
        if self.used == 0:
            self.shaper.catch_up(now)
        queue.packets.append(packet)
        self.used += packet.size
        if self.settings.ack_filter != "off":
            self.filter(tin, queue, now)
        tin.arrive(queue)
        while self.used > self.settings.limit:
            self.drop_from_longest(now)

    def filter(self, tin: Tin, queue: Queue, now: int) -> None:
        """Drops an acknowledgment that the last packet makes superfluous."""
        place = superfluous(queue.packets, aggressive=self.settings.ack_filter == "aggressive")
        if place is not None:
            packet = queue.packets[place]
            del queue.packets[place]
            self.used -= packet.size
            self.filtered.append(packet)
            if self.settings.ingress:
                self.charge(tin, packet, now, sent=False)

    def charge(self, tin: Tin, packet: Packet, now: int, *, sent: bool) -> int:
        """`cake_advance_shaper`: both clocks move. Returns the length of the packet."""
        length = self.length(packet)
        tin.clock.charge(length, now)
        self.shaper.charge(length, sent=sent)
        return length

    def drop_from_longest(self, now: int) -> None:
        """`cake_drop`: the head of the queue with the most bytes in any tin."""
        queues = [(tin, queue) for tin in self.tins for queue in (*tin.new, *tin.old) if queue.packets]
        most = max(queue.backlog for _, queue in queues)
        longest = {queue.packets[0].flow: (tin, queue) for tin, queue in queues if queue.backlog == most}
        tin, queue = longest[self.choose(list(longest))]
        queue.cobalt.on_full(now)
        packet = queue.packets.popleft()
        self.used -= packet.size
        self.dropped.append(packet)
        if self.settings.ingress:
            self.charge(tin, packet, now, sent=False)

    @property
    def opens(self) -> int | None:
        """The time from which on the next packet may leave; None if none waits."""
        return self.shaper.opens if self.used else None

    def dequeue(self, now: int) -> Packet | None:
        """`cake_dequeue`: a packet, or None if none waits or the shaper holds them back."""
        decaying_first = True
        while self.opens is not None and self.opens <= now:
            tin = self.tin_without_shaper() if self.settings.rate is None else self.tin_in_time(now)
            packet = self.serve(tin, now, decaying_first=decaying_first)
            if packet is not None:
                return packet
            decaying_first = False
        return None

    def tin_in_time(self, now: int) -> Tin:
        """The last active tin that is within its rate, or else the one that will be first."""
        active = [tin for tin in self.tins if tin.is_active]
        within = [tin for tin in active if tin.clock.next_packet <= now]
        return within[-1] if within else min(reversed(active), key=lambda tin: tin.clock.next_packet)

    def tin_without_shaper(self) -> Tin:
        """Deficit round robin among the tins."""
        while True:
            tin = self.tins[self.turn_of]
            if tin.deficit >= 0 and tin.is_active:
                return tin
            if tin.deficit <= 0:
                tin.deficit += tin.weight
            self.turn_of = (self.turn_of + 1) % len(self.tins)

    def serve(self, tin: Tin, now: int, *, decaying_first: bool) -> Packet | None:
        """DRR++ in a tin, up to a packet or to a queue that is found empty."""
        while turn := tin.turn(decaying_first=decaying_first):
            decaying_first = False
            queue = turn[0]
            if queue.deficit <= 0:
                tin.end_turn(turn)
                continue
            if not queue.packets:
                tin.retire(turn, now)
                break
            packet, sent = self.take(tin, queue, now)
            if sent or self.settings.ingress:
                length = self.charge(tin, packet, now, sent=sent)
                queue.deficit -= length
                tin.deficit -= length
            if sent:
                return packet
        return None

    def take(self, tin: Tin, queue: Queue, now: int) -> tuple[Packet, bool]:
        """The head of the queue, and whether COBALT lets it pass.

        "Last packet in queue may be marked, shouldn't be dropped." In ingress mode the packets of all bulk
        flows may wait for two frames of each, and after a drop the turn may be another queue's.
        """
        packet = queue.packets.popleft()
        self.used -= packet.size
        bulk_flows = tin.bulk_flows if self.settings.ingress else 0
        sent = not queue.cobalt.should_drop(packet, now, bulk_flows) or not queue.packets
        if not sent:
            self.dropped.append(packet)
        return packet, sent
