"""Captures drawn by seed: a transfer over TCP, UDP or QUIC, as one of many tools would have recorded it.

Packets are made by scapy, which the reader does not use. Each capture draws a format, a link type, a tunnel,
habits of the hosts and a place, and a quarter of them is damaged afterwards.
"""

from __future__ import annotations

import gzip
import random
import struct
from dataclasses import dataclass
from typing import Any

from scapy.layers.inet import IP, TCP, UDP, fragment
from scapy.layers.inet6 import (
    IPv6,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrFragment,
    IPv6ExtHdrHopByHop,
    fragment6,
)
from scapy.packet import Raw

from tests.captures.containers import FORMATS, LINKS, TAGS, TUNNELS, Framed, damage, within, written

PLACES = ("sender", "middle", "receiver")
KINDS = ("tcp", "tcp", "tcp", "udp", "quic")
HABITS = {
    "fragments": 0.2, "backwards": 0.5, "options": 0.25, "offloaded": 0.15, "snapped": 0.25, "one way": 0.15,
    "timestamps": 0.5, "others": 0.4, "many": 0.2, "copies": 0.2, "gzip": 0.15, "two links": 0.5,
    "spins": 0.7,
}  # fmt: skip
"""With their chances."""

COPY_NS = 30_000
"""After a packet comes its copy, where a bridge or a second interface records it too."""


@dataclass(frozen=True)
class Drawn:
    """A capture, and what is true of it."""

    data: bytes
    once: bytes
    """The same without copies, of which tshark is asked."""
    about: str
    rtt_s: float
    """Of the path."""
    shows_rtt: bool
    """True if its round-trip time can be known, and nothing is damaged."""
    is_damaged: bool


def draw(seed: int) -> Drawn:
    """The capture of a seed."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    version = chance.choice([4, 6])
    kind, place = chance.choice(KINDS), chance.choice(PLACES)
    form, links = chance.choice(FORMATS), [chance.choice(list(LINKS)) for _ in range(2)]
    tunnel = chance.choice(TUNNELS)
    habits = [habit for habit, share in HABITS.items() if chance.random() < share]
    if "two links" not in habits or form not in ("pcapng of two interfaces", "pcapng of two sections"):
        links = links[:1]
    if tunnel in TAGS and not set(links) <= {"ethernet", "cooked", "cooked 2"}:
        tunnel = "none"
    rtt_s = chance.choice([0.004, 0.02, 0.1])
    packets = transfer(chance, version, kind, place, rtt_s, habits)
    kept = 160 if version == 4 else 200
    frames = []
    for index, (time_ns, packet) in enumerate(packets):
        in_first = index < len(packets) // 2 if "sections" in form else index % 2 == 0
        link = links[0] if in_first else links[-1]
        whole = bytes(within(packet, tunnel, link, version))
        frames.append((time_ns, LINKS[link], len(whole), whole[:kept] if "snapped" in habits else whole))
    state = chance.getstate()
    once = written(form, frames, chance)
    chance.setstate(state)
    data = written(form, with_copies(frames), chance) if "copies" in habits else once
    is_damaged = chance.random() < 0.25
    if is_damaged:
        once = data = damage(once, chance)
    elif "gzip" in habits:
        data = gzip.compress(data, mtime=0)
    about = ", ".join([form, *links, tunnel, f"IPv{version}", kind, f"at the {place}", *habits])
    shows = {"tcp": "one way" not in habits, "udp": False, "quic": "spins" in habits}[kind]
    return Drawn(data, once, about, rtt_s, shows and not is_damaged, is_damaged)


def with_copies(frames: list[Framed]) -> list[Framed]:
    """Each frame twice."""
    twice = [(time_ns + late, *rest) for time_ns, *rest in frames for late in (0, COPY_NS)]
    return sorted(twice, key=lambda frame: frame[0])  # type: ignore[arg-type]


class Hosts:
    """Two hosts that send packets to each other."""

    def __init__(self, chance: random.Random, version: int, habits: list[str]) -> None:
        self.chance, self.version, self.habits = chance, version, habits
        self.ends = ("10.0.0.1", "10.0.0.2") if version == 4 else ("fd00::1", "fd00::2")
        self.made: list[tuple[float, Any]] = []
        self.number = chance.randrange(1, 60_000)

    def put(self, time: float, *, is_forward: bool, payload: Any) -> None:
        """A packet passes, or its fragments."""
        self.number = self.number % 65_535 + 1
        source, destination = self.ends if is_forward else self.ends[::-1]
        whole = self._packet(source, destination, payload)
        parts = [whole]
        if "fragments" in self.habits and len(whole) > 700:
            if self.version == 4:
                parts = fragment(whole, fragsize=488)
            else:
                header = IPv6(src=source, dst=destination) / IPv6ExtHdrFragment(id=self.number)
                parts = fragment6(header / payload, 600)
            if "backwards" in self.habits:
                parts = parts[::-1]
        for part in parts:
            self.made.append((time, part))
            time += 2e-6

    def _packet(self, source: str, destination: str, payload: Any) -> Any:
        if self.version == 4:
            header = IP(src=source, dst=destination, id=self.number)
            if "options" in self.habits:
                header.options = [Raw(b"\x94\x04\x00\x00")]
            return header / payload
        header = IPv6(src=source, dst=destination)
        if "options" in self.habits:
            header = header / self.chance.choice([IPv6ExtHdrHopByHop, IPv6ExtHdrDestOpt])()
        return header / payload

    def finished(self) -> list[tuple[int, Any]]:
        """The packets in the order of time, with some that belong to nobody."""
        if "others" in self.habits:
            first = self.made[0][0]
            other = IP if self.version == 4 else IPv6
            addresses = ("10.9.9.9", "10.9.9.8") if other is IP else ("fd00::99", "fd00::98")
            for index in range(5):
                noise = other(src=addresses[0], dst=addresses[1]) / UDP(sport=53, dport=53) / Raw(bytes(20))
                if other is IP:
                    noise.id = 60_000 + index
                self.made.append((first + self.chance.random() * 0.1 + index * 1e-5, noise))
        micros = ((round(time * 1e9) // 1000 * 1000, each) for time, each in self.made)
        return sorted(micros, key=lambda pair: pair[0])


def transfer(
    chance: random.Random, version: int, kind: str, place: str, rtt_s: float, habits: list[str]
) -> list[tuple[int, Any]]:
    """Packets with the times in nanoseconds at which they pass the place."""
    hosts = Hosts(chance, version, habits)
    to_receiver = {"sender": 1.0, "middle": 0.4, "receiver": 0.002}[place] * rtt_s
    begin = 1_700_000_000 + chance.random()
    size = chance.choice([536, 1200, 1448])
    for index in range(4 if "many" in habits and kind != "quic" else 1):
        start = begin + 0.0003 * index
        if kind == "tcp":
            connection(hosts, start, begin, (rtt_s, to_receiver), size, 40_000 + index)
        elif kind == "udp":
            datagrams(hosts, start, size, 5001 + index)
        else:
            quic(hosts, start, (rtt_s, to_receiver))
    return hosts.finished()


def datagrams(hosts: Hosts, begin: float, size: int, port: int) -> None:
    """Numbered datagrams, and reports now and then."""
    for step in range(30):
        time = begin + 0.004 * step
        payload = UDP(sport=port, dport=6002) / Raw(struct.pack(">I", step) + bytes(size - 4))
        hosts.put(time, is_forward=True, payload=payload)
        if step % 10 == 9 and "one way" not in hosts.habits:
            hosts.put(
                time + 0.001,
                is_forward=False,
                payload=UDP(sport=6002, dport=port) / Raw(b"report%02d" % step),
            )


def quic(hosts: Hosts, begin: float, times: tuple[float, float]) -> None:
    """A connection of QUIC (RFC 9000): long headers, then short ones whose bit spins, or is random."""
    rtt_s, to_receiver = times
    there, back = {"sport": 50_001, "dport": 443}, {"sport": 443, "dport": 50_001}

    def protected() -> bytes:
        return hosts.chance.randbytes(1100)

    for round_trip in range(12):
        start = begin + rtt_s * round_trip
        for index in range(5):
            time = start + rtt_s * index / 8
            spin = round_trip % 2 if "spins" in hosts.habits else hosts.chance.randrange(2)
            first = 0xC3 if round_trip == 0 else 0x40 | spin << 5
            head = bytes([first]) + (b"\0\0\0\1" if round_trip == 0 else b"")
            hosts.put(time, is_forward=True, payload=UDP(**there) / Raw(head + protected()))
            if "one way" not in hosts.habits:
                answer = head + hosts.chance.randbytes(40)
                hosts.put(time + to_receiver, is_forward=False, payload=UDP(**back) / Raw(answer))


def connection(
    hosts: Hosts, clock: float, begin: float, times: tuple[float, float], size: int, port: int
) -> None:
    """A connection of TCP: handshake, and six round trips of four segments that are acknowledged each."""
    habits, (rtt_s, to_receiver) = hosts.habits, times
    there, back = {"sport": port, "dport": 80}, {"sport": 80, "dport": port}
    one_way = "one way" in habits

    def stamps(time: float, echo: float) -> list[Any]:
        milliseconds = (int((time - begin) * 1000) + 7, int((echo - begin) * 1000) + 7)
        return [("Timestamp", milliseconds)] if "timestamps" in habits else []

    hosts.put(clock, is_forward=True, payload=TCP(**there, flags="S", seq=1000, options=stamps(clock, begin)))
    if not one_way:
        answer = TCP(**back, flags="SA", seq=5000, ack=1001, options=stamps(clock, clock))
        hosts.put(clock + to_receiver, is_forward=False, payload=answer)
    sequence, acknowledged = 1001, clock + to_receiver
    clock += rtt_s
    third = TCP(**there, flags="A", seq=1001, ack=5001, options=stamps(clock, acknowledged))
    hosts.put(clock, is_forward=True, payload=third)
    for _ in range(6):
        for index in range(4):
            time = clock + 0.0005 * index
            many = size * 20 if "offloaded" in habits and "fragments" not in habits else size
            head = TCP(**there, flags="PA", seq=sequence, ack=5001, options=stamps(time, acknowledged))
            hosts.put(time, is_forward=True, payload=head / Raw(bytes(many)))
            sequence += many
            if not one_way:
                answer = TCP(
                    **back, flags="A", seq=5001, ack=sequence, options=stamps(time + to_receiver, time)
                )
                hosts.put(time + to_receiver, is_forward=False, payload=answer)
        acknowledged = clock + to_receiver
        clock += rtt_s
