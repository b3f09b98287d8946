"""The conversations of a capture: of TCP and UDP, by their ends.

Fragments belong to their first, and copies count once.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from ackclock.captures.frames import Frame
from ackclock.captures.layers import TCP, UDP, Packet, Unreadable, packet_of

__all__ = ["Direction", "Key", "Segment", "Traffic", "conversations"]

Key = tuple[int, bytes, int, bytes, int]
"""Protocol, source and its port, destination and its port."""

FIN, SYN, RST, ACK = 1, 2, 4, 16
TIMESTAMPS = 8
"""The option of TCP (RFC 7323)."""

COPY_NS = 20_000_000
"""A copy that a bridge or a second interface records comes within this time."""

MOST_ALIKE = 0.4
"""The largest share of packets that are like others, but sent on purpose. A bridge makes it a half."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The fields of a TCP segment's header."""

    sequence: int
    acknowledgment: int
    """-1 without one."""
    flags: int
    payload_bytes: int
    timestamps: tuple[int, int] | None
    """TSval and TSecr."""


@dataclass
class Direction:
    """The packets of one conversation in one direction, in the order of their times."""

    times_ns: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    """Of IP packets, in bytes."""
    segments: list[Segment | None] = field(default_factory=list)
    """The header of TCP; None for a fragment after the first, or if the capture did not keep the header."""
    first_bytes: list[bytes] = field(default_factory=list)
    """The first byte of a datagram of UDP."""


@dataclass
class Traffic:
    """All conversations, and counts of the packets that were passed over."""

    directions: dict[Key, Direction] = field(default_factory=dict)
    copies: int = 0
    unreadable: Counter[str] = field(default_factory=Counter)
    others: int = 0
    """IP packets that are neither TCP nor UDP."""
    portless: int = 0
    """Packets of TCP and UDP of which the capture kept less than their ports."""
    orphans: int = 0
    """Fragments of TCP and UDP whose first one, with their ports, is not in the capture."""
    offloaded: int = 0
    """Packets that are too large for a link of Ethernet."""


LARGEST_ON_A_LINK = 9216
"""Bytes of a jumbo frame; larger packets were captured before the host cut them, or after it joined them."""


def conversations(frames: Iterable[Frame]) -> Traffic:
    """Sorts frames into conversations."""
    traffic = Traffic()
    owners: dict[tuple[bytes, bytes, int, int], Key] = {}
    waiting: dict[tuple[bytes, bytes, int, int], list[tuple[int, Packet]]] = {}
    for time_ns, packet in _once(_packets(frames, traffic), traffic):
        fragment = (packet.source, packet.destination, packet.protocol, packet.identification)
        if packet.fragment_offset:
            if key := owners.get(fragment):
                _add(traffic, key, time_ns, packet, None)
            else:
                waiting.setdefault(fragment, []).append((time_ns, packet))
            continue
        key = _key(packet)
        if key is None:
            if packet.protocol in (TCP, UDP) and packet.payload_bytes > len(packet.payload):
                traffic.portless += 1
            else:
                traffic.others += 1
            continue
        _add(traffic, key, time_ns, packet, _segment(packet))
        if packet.is_fragment:
            owners[fragment] = key
            for part_time_ns, part in waiting.pop(fragment, []):
                _add(traffic, key, part_time_ns, part, None)
    for (_, _, protocol, _), parts in waiting.items():
        if protocol in (TCP, UDP):
            traffic.orphans += len(parts)
        else:
            traffic.others += len(parts)
    return traffic


def _packets(frames: Iterable[Frame], traffic: Traffic) -> list[tuple[int, Packet]]:
    """The packets that can be read, in the order of their times."""
    found: list[tuple[int, Packet]] = []
    for frame in sorted(frames, key=lambda frame: frame.time_ns):
        try:
            found.append((frame.time_ns, packet_of(frame)))
        except Unreadable as error:
            traffic.unreadable[str(error)] += 1
    return found


def _once(packets: list[tuple[int, Packet]], traffic: Traffic) -> list[tuple[int, Packet]]:
    """Without those recorded a moment ago: at another interface, or there with their identification.

    A sender that sends a packet again gives it a new identification. Without one, packets at one interface
    that are alike are copies where most packets have one, as behind a bridge, and differ from each other:
    datagrams of which only headers were kept are all alike.
    """
    seen: dict[tuple[object, ...], tuple[int, tuple[int, int]]] = {}
    found: list[tuple[int, Packet]] = []
    alike: set[int] = set()
    contents: set[tuple[object, ...]] = set()
    for time_ns, packet in packets:
        content = (
            packet.source, packet.destination, packet.protocol, packet.identification,
            packet.fragment_offset, packet.payload_bytes, packet.payload,
        )  # fmt: skip
        before = seen.get(content)
        is_alike = before is not None and time_ns - before[0] <= COPY_NS
        if before is not None and is_alike and (before[1] != packet.port or packet.identification):
            traffic.copies += 1
            continue
        if is_alike:
            alike.add(len(found))
            contents.add(content)
            del seen[content]  # a third one is another packet
        else:
            seen[content] = (time_ns, packet.port)
        found.append((time_ns, packet))
    if len(alike) + traffic.copies <= MOST_ALIKE * len(packets) or len(contents) < len(alike) / 2:
        return found
    traffic.copies += len(alike)
    return [each for index, each in enumerate(found) if index not in alike]


def _key(packet: Packet) -> Key | None:
    if packet.protocol not in (TCP, UDP) or len(packet.payload) < 4:
        return None
    source, destination = struct.unpack_from(">HH", packet.payload)
    return packet.protocol, packet.source, source, packet.destination, destination


def _add(traffic: Traffic, key: Key, time_ns: int, packet: Packet, segment: Segment | None) -> None:
    mine = traffic.directions.setdefault(key, Direction())
    mine.times_ns.append(time_ns)
    mine.sizes.append(packet.total_bytes)
    mine.segments.append(segment)
    is_datagram = packet.protocol == UDP and not packet.fragment_offset
    mine.first_bytes.append(packet.payload[8:9] if is_datagram else b"")
    traffic.offloaded += packet.total_bytes > LARGEST_ON_A_LINK


def _segment(packet: Packet) -> Segment | None:
    """The header of TCP; None for UDP, or if the capture kept only a part of it."""
    data = packet.payload
    if packet.protocol != TCP or len(data) < 20:
        return None
    sequence, acknowledgment, offset, flags = struct.unpack_from(">4xIIBB", data)
    header = (offset >> 4) * 4
    if header < 20:
        return None
    return Segment(
        sequence,
        acknowledgment if flags & ACK else -1,
        flags,
        max(packet.payload_bytes - header, 0),
        _timestamps(data[20:header]),
    )


def _timestamps(options: bytes) -> tuple[int, int] | None:
    place = 0
    while place < len(options) and options[place]:
        if options[place] == 1:
            place += 1
            continue
        length = options[place + 1] if place + 1 < len(options) else 0
        if length < 2:
            return None
        if options[place] == TIMESTAMPS and length == 10 and place + 10 <= len(options):
            value, echo = struct.unpack_from(">II", options, place + 2)
            return value, echo
        place += length
    return None
