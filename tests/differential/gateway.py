"""A gateway in the simulator, and what it takes to give plain Python the same packets at the same times."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

import ackclock
from reference.queue.codel import Waiting

CE = 3
"""The ECN field (RFC 3168, section 5)."""
RATE = 4_000_000
"""Bits per second: a byte takes 2000 ns."""
BUFFER = 25
SECONDS = 30


@dataclass(frozen=True)
class Packet:
    """A packet that comes to the gateway."""

    time: int
    flow: int
    sequence: int
    payload: int
    size: int
    kind: str
    ecn: int = 0
    """The ECN field of the IP header."""
    connection: int = 0
    """The number of its connection among those of its flow."""

    @property
    def name(self) -> tuple[int, int, int]:
        """Tells it from others, but for its retransmissions."""
        return self.flow, self.sequence, self.payload


def simulated(  # noqa: PLR0913 - each is one thing that a gateway may meet
    queue: str,
    flows: int,
    *,
    buffer: int = BUFFER,
    load: float = 0.2,
    algorithms: Sequence[str] = ("sack",),
    priorities: Sequence[int] | None = None,
    ecn: str | None = None,
    edge: str = "droptail",
    sources: Mapping[str, object] | None = None,
) -> ackclock.Result:
    """TCP flows of unequal round trips and one datagram source, over one link with that queue.

    The algorithms are assigned in turn, and so are the priorities: the first belongs to the datagrams. The
    link to the gateway, which drops nothing, has the queue `edge`. `sources` are further keys of TCP flows.
    """
    gateway = {
        "from": "gateway",
        "to": "sink",
        "rate": f"{RATE} bit/s",
        "delay": "10 ms",
        "buffer": f"{buffer} packets",
        "queue": queue,
        "reverse": {"queue": "droptail", "buffer": "1000 packets"},
    }
    into = {
        "from": "sources",
        "to": "gateway",
        "rate": "97 Mbit/s",
        "delay": "5 ms",
        "buffer": "10000 packets",
        "queue": edge,
        "reverse": {"queue": "droptail"},
    }
    groups = [
        {
            "from": f"source{i}",
            "to": "sink",
            "algorithm": algorithms[i % len(algorithms)],
            "start": f"{0.037 * i:g} s",
            **(sources or {}),
            **({"priority": priorities[(i + 1) % len(priorities)]} if priorities else {}),
        }
        for i in range(flows)
    ]
    access = [
        {
            "from": f"source{i}",
            "to": "sources",
            "rate": "89 Mbit/s",
            "delay": f"{1.7 + 7.3 * i:g} ms",
            "buffer": "10000 packets",
        }
        for i in range(flows)
    ]
    return ackclock.run(
        {
            "name": "gateways",
            "duration": f"{SECONDS} s",
            "topology": {"graph": {"link": [into, gateway, *access]}},
            "flow": groups,
            **({"tcp": {"ecn": ecn}} if ecn else {}),
            "udp": [
                {
                    "from": "sources",
                    "to": "sink",
                    "rate": f"{RATE * load:.0f} bit/s",
                    "packet": "400 bytes",
                    "pattern": "poisson",
                    **({"priority": priorities[0]} if priorities else {}),
                }
            ],
            "trace": {"interval": "1 s", "packets": ["sources->gateway", "gateway->sink"]},
        }
    )


def rows(result: ackclock.Result, link: str) -> list[Packet]:
    """Packets at the far end of a link."""
    number = result.links["name"].to_list().index(link)
    # Datagrams are numbered; `drops` counts their bytes.
    offset = pl.when(pl.col("kind") == "udp").then(pl.col("sequence") * pl.col("wire_bytes"))
    table = result.packets.filter(pl.col("link") == number).select(
        "time_s", "flow", offset.otherwise(pl.col("sequence")), "payload_bytes", "wire_bytes", "kind", "ecn",
        "connection",
    )  # fmt: skip
    return [Packet(round(time * 1e9), *rest) for time, *rest in table.iter_rows()]


def packet_of(waiting: Waiting) -> Packet:
    """The packet that waits."""
    assert isinstance(waiting.name, Packet)
    return waiting.name


def driven(
    packets: list[Packet],
    enqueue: Callable[[Waiting, Packet], None],
    dequeue: Callable[[int], Waiting | None],
) -> list[Packet]:
    """What a link transmits that asks for the next packet when it falls idle."""
    sent: list[Packet] = []
    free = 0
    for packet in packets:
        while free <= packet.time and (waiting := dequeue(free)) is not None:
            sent.append(packet_of(waiting))
            free += waiting.size * 8_000_000_000 // RATE
        enqueue(Waiting(packet.time, packet.size, packet, packet.ecn), packet)
        if free <= packet.time and (waiting := dequeue(packet.time)) is not None:
            sent.append(packet_of(waiting))
            free = packet.time + waiting.size * 8_000_000_000 // RATE
    while free <= SECONDS * 1_000_000_000 and (waiting := dequeue(free)) is not None:
        sent.append(packet_of(waiting))
        free += waiting.size * 8_000_000_000 // RATE
    return sent


def drops(result: ackclock.Result) -> list[tuple[int, int]]:
    """Flow and sequence number of what the gateway drops, in order."""
    table = result.drops
    return list(zip(table["flow"].to_list(), table["sequence_bytes"].to_list(), strict=True))


def choice(result: ackclock.Result, dropped: Callable[[], int]) -> Callable[[list[object]], object]:
    """Takes, of queues any of which may be the longest, the one from which the simulator drops next."""
    there = drops(result)

    def choose(equals: list[object]) -> object:
        flow = there[min(dropped(), len(there) - 1)][0]
        return flow if flow in equals else equals[0]

    return choose


def agree(result: ackclock.Result, sent: list[Packet], dropped: list[Waiting], least: int) -> None:
    """The same order of departure, and the same drops, up to what is under way at the end."""
    expected = [packet.name for packet in rows(result, "gateway->sink")]
    assert len(expected) > 1000
    for place, (found, other) in enumerate(zip(sent, expected, strict=False)):
        assert found.name == other, (
            f"the {place}. to leave is {other} in the simulator, plain Python has {found}"
        )
    assert len(sent) >= len(expected)
    there = drops(result)
    assert len(there) > least
    here = [(packet_of(waiting).flow, packet_of(waiting).sequence) for waiting in dropped]
    assert here[: len(there)] == there
    assert len(dropped) <= len(there) + 1


def agree_on_marks(result: ackclock.Result, sent: list[Packet], marked: list[Waiting], least: int) -> None:
    """The same packets have CE behind the gateway."""
    there = [packet.ecn == CE for packet in rows(result, "gateway->sink")]
    assert sum(there) > least
    hit = {id(packet_of(waiting)) for waiting in marked}
    here = [packet.ecn == CE or id(packet) in hit for packet in sent]
    assert here[: len(there)] == there
