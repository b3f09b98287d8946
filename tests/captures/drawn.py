"""Captures drawn by seed: a transfer over TCP, UDP or QUIC, as one of many tools would have recorded it.

Packets are made by scapy, which the reader does not use. Each capture draws a format, a link type, a tunnel,
habits of the hosts and a place, and a quarter of them is damaged afterwards.
"""

from __future__ import annotations

import gzip
import io
import random
import struct
from dataclasses import dataclass
from typing import Any

from scapy.contrib.mpls import MPLS
from scapy.layers.dot11 import Dot11, Dot11QoS, RadioTap
from scapy.layers.inet import IP, TCP, UDP, fragment
from scapy.layers.inet6 import (
    IPv6,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrFragment,
    IPv6ExtHdrHopByHop,
    fragment6,
)
from scapy.layers.l2 import GRE, LLC, SNAP, CookedLinux, CookedLinuxV2, Dot1AD, Dot1Q, Ether
from scapy.layers.ppp import PPP, PPPoE
from scapy.packet import Raw

FORMATS = (
    "pcap",
    "pcap in nanoseconds",
    "pcap of the other order",
    "pcapng",
    "pcapng of two interfaces",
    "pcapng of two sections",
)
LINKS = (
    "ethernet",
    "raw",
    "ipv4 or ipv6",
    "cooked",
    "cooked 2",
    "loopback",
    "openbsd loopback",
    "wifi",
    "radiotap",
    "ppp",
)
TUNNELS = ("none", "none", "vlan", "qinq", "mpls", "pppoe", "gre", "ip in ip")
PLACES = ("sender", "middle", "receiver")


@dataclass(frozen=True)
class Drawn:
    """A capture, and what is true of it."""

    data: bytes
    about: str
    rtt_s: float
    """Of the path."""
    shows_rtt: bool
    """True if its round-trip time can be known: both directions, a handshake, and nothing damaged."""
    is_damaged: bool


def draw(seed: int) -> Drawn:
    """The capture of a seed."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    version = chance.choice([4, 6])
    kind = chance.choice(["tcp", "tcp", "tcp", "udp"])
    place = chance.choice(PLACES)
    link, tunnel = chance.choice(LINKS), chance.choice(TUNNELS)
    if link not in ("ethernet", "cooked", "cooked 2") and tunnel in ("vlan", "qinq", "mpls", "pppoe"):
        tunnel = "none"
    habits = [
        habit
        for habit, share in {
            "fragments": 0.2, "options": 0.25, "offloaded": 0.15, "snapped": 0.25, "one way": 0.15,
            "timestamps": 0.5, "others": 0.4, "gzip": 0.15,
        }.items()
        if chance.random() < share
    ]  # fmt: skip
    rtt_s = chance.choice([0.004, 0.02, 0.1])
    packets = transfer(chance, version, kind, place, rtt_s, habits)
    framed = []
    for time_ns, packet in packets:
        whole = bytes(within(packet, tunnel, link, version))
        kept = whole[: 160 if version == 4 else 200] if "snapped" in habits else whole
        framed.append((time_ns, len(whole), kept))
    form = chance.choice(FORMATS)
    data = written(form, number_of(link), framed, chance)
    is_damaged = chance.random() < 0.25
    if is_damaged:
        data = damage(data, chance)
    elif "gzip" in habits:
        data = gzip.compress(data, mtime=0)
    about = ", ".join([form, link, tunnel, f"IPv{version}", kind, f"at the {place}", *habits])
    shows_rtt = kind == "tcp" and "one way" not in habits and not is_damaged
    return Drawn(data, about, rtt_s, shows_rtt, is_damaged)


def transfer(
    chance: random.Random, version: int, kind: str, place: str, rtt_s: float, habits: list[str]
) -> list[tuple[int, Any]]:
    """Packets with the times in nanoseconds at which they pass the place."""
    ends = [("10.0.0.1", "10.0.0.2"), ("fd00::1", "fd00::2")][version == 6]
    to_receiver = {"sender": 1.0, "middle": 0.4, "receiver": 0.002}[place] * rtt_s
    begin = 1_700_000_000 + chance.random()
    clock = begin
    made: list[tuple[float, Any]] = []
    number = chance.randrange(1, 60_000)

    def packet(*, is_forward: bool, payload: Any) -> Any:
        nonlocal number
        number = number % 65_535 + 1
        source, destination = ends if is_forward else ends[::-1]
        if version == 4:
            header = IP(src=source, dst=destination, id=number)
            if "options" in habits:
                header.options = [Raw(b"\x94\x04\x00\x00")]
            return header / payload
        header = IPv6(src=source, dst=destination)
        if "options" in habits:
            header = header / chance.choice([IPv6ExtHdrHopByHop, IPv6ExtHdrDestOpt])()
        return header / payload

    def put(time: float, *, is_forward: bool, payload: Any) -> None:
        whole = packet(is_forward=is_forward, payload=payload)
        parts = [whole]
        if "fragments" in habits and len(whole) > 700:
            if version == 4:
                parts = fragment(whole, fragsize=488)
            else:
                parts = fragment6(header_before_fragment(whole, number), 600)
        for part in parts:
            made.append((time, part))
            time += 2e-6

    def stamps(time: float, echo: float) -> list[Any]:
        milliseconds = (int((time - begin) * 1000) + 7, int((echo - begin) * 1000) + 7)
        return [("Timestamp", milliseconds)] if "timestamps" in habits else []

    size = chance.choice([536, 1200, 1448])
    if kind == "udp":
        for step in range(30):
            time = clock + 0.004 * step
            payload = UDP(sport=5001, dport=5002) / Raw(struct.pack(">I", step) + bytes(size - 4))
            put(time, is_forward=True, payload=payload)
            if step % 10 == 9 and "one way" not in habits:
                put(time + 0.001, is_forward=False, payload=UDP(sport=5002, dport=5001) / Raw(b"report"))
        return finished(made, ends, chance, habits)
    tcp = {"sport": 40_000, "dport": 80}
    back = {"sport": 80, "dport": 40_000}
    one_way = "one way" in habits
    put(clock, is_forward=True, payload=TCP(**tcp, flags="S", seq=1000, options=stamps(clock, begin)))
    if not one_way:
        answer = TCP(**back, flags="SA", seq=5000, ack=1001, options=stamps(clock, clock))
        put(clock + to_receiver, is_forward=False, payload=answer)
    sequence, acknowledged = 1001, clock + to_receiver
    clock += rtt_s
    put(
        clock,
        is_forward=True,
        payload=TCP(**tcp, flags="A", seq=1001, ack=5001, options=stamps(clock, acknowledged)),
    )
    for _ in range(6):
        for index in range(4):
            time = clock + 0.0005 * index
            many = size * 20 if "offloaded" in habits and "fragments" not in habits else size
            head = TCP(**tcp, flags="PA", seq=sequence, ack=5001, options=stamps(time, acknowledged))
            put(time, is_forward=True, payload=head / Raw(bytes(many)))
            sequence += many
            if not one_way:
                answer = TCP(
                    **back, flags="A", seq=5001, ack=sequence, options=stamps(time + to_receiver, time)
                )
                put(time + to_receiver, is_forward=False, payload=answer)
        acknowledged = clock + to_receiver
        clock += rtt_s
    return finished(made, ends, chance, habits)


def header_before_fragment(whole: Any, number: int) -> Any:
    """A packet of IPv6 with the header that marks where it may be cut."""
    header = IPv6(src=whole.src, dst=whole.dst)
    upper = whole[TCP] if TCP in whole else whole[UDP]
    return header / IPv6ExtHdrFragment(id=number) / upper


def finished(
    made: list[tuple[float, Any]], ends: tuple[str, str], chance: random.Random, habits: list[str]
) -> list[tuple[int, Any]]:
    """In the order of time, with packets that belong to nobody."""
    if "others" in habits:
        first = made[0][0]
        other = IP if "." in ends[0] else IPv6
        addresses = ("10.9.9.9", "10.9.9.8") if other is IP else ("fd00::99", "fd00::98")
        for index in range(5):
            noise = other(src=addresses[0], dst=addresses[1]) / UDP(sport=53, dport=53) / Raw(bytes(20))
            made.append((first + chance.random() * 0.1 + index * 1e-5, noise))
    return sorted(((round(time * 1e9) // 1000 * 1000, each) for time, each in made), key=lambda pair: pair[0])


def within(packet: Any, tunnel: str, link: str, version: int) -> Any:
    """The packet in its tunnel, in a frame of the link."""
    kind = 0x0800 if version == 4 else 0x86DD
    if tunnel == "gre":
        packet, kind = IP(src="192.0.2.1", dst="192.0.2.2") / GRE(proto=kind) / packet, 0x0800
    elif tunnel == "ip in ip":
        packet, kind = IP(src="192.0.2.1", dst="192.0.2.2", proto=4 if version == 4 else 41) / packet, 0x0800
    layers: Any = packet
    if tunnel == "vlan":
        layers, kind = Dot1Q(vlan=7, type=kind) / packet, 0x8100
    elif tunnel == "qinq":
        layers, kind = Dot1AD(vlan=9, type=0x8100) / Dot1Q(vlan=7, type=kind) / packet, 0x88A8
    elif tunnel == "mpls":
        layers, kind = MPLS(label=17, s=0) / MPLS(label=18, s=1) / packet, 0x8847
    elif tunnel == "pppoe":
        inner = bytes(PPP(proto=0x21 if kind == 0x0800 else 0x57) / packet)
        layers, kind = PPPoE(sessionid=3) / Raw(inner[-len(packet) - 2 :]), 0x8864
    family = 2 if kind == 0x0800 else 30
    if link == "ethernet":
        return Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02", type=kind) / layers
    if link == "cooked":
        return CookedLinux(proto=kind) / layers
    if link == "cooked 2":
        return CookedLinuxV2(proto=kind, ifindex=2) / layers
    if link == "loopback":
        return struct.pack("<I", family) + bytes(layers)
    if link == "openbsd loopback":
        return struct.pack(">I", family) + bytes(layers)
    if link in ("wifi", "radiotap"):
        frame = Dot11(type=2, subtype=8, FCfield=1) / Dot11QoS() / LLC(dsap=0xAA, ssap=0xAA, ctrl=3)
        frame = frame / SNAP(OUI=0, code=kind) / layers
        return RadioTap() / frame if link == "radiotap" else frame
    if link == "ppp":
        return b"\xff\x03" + struct.pack(">H", 0x21 if kind == 0x0800 else 0x57) + bytes(layers)
    return layers


def number_of(link: str) -> int:
    """The registered number of a link type."""
    numbers = {
        "ethernet": 1, "raw": 101, "cooked": 113, "cooked 2": 276, "loopback": 0, "openbsd loopback": 108,
        "wifi": 105, "radiotap": 127, "ppp": 9,
    }  # fmt: skip
    return numbers.get(link, 101)


def written(form: str, link: int, frames: list[tuple[int, int, bytes]], chance: random.Random) -> bytes:
    """The file."""
    if form.startswith("pcap "):
        order = ">" if "order" in form else "<"
        unit = 1 if "nanoseconds" in form else 1000
    elif form == "pcap":
        order, unit = "<", 1000
    else:
        return pcapng(form, link, frames, chance)
    word = 0xA1B23C4D if unit == 1 else 0xA1B2C3D4
    out = io.BytesIO()
    out.write(struct.pack(order + "IHHiIII", word, 2, 4, 0, 0, 262_144, link))
    for time_ns, length, kept in frames:
        seconds, rest = divmod(time_ns, 1_000_000_000)
        out.write(struct.pack(order + "IIII", seconds, rest // unit, len(kept), length) + kept)
    return out.getvalue()


def pcapng(form: str, link: int, frames: list[tuple[int, int, bytes]], chance: random.Random) -> bytes:
    """A file of several interfaces or sections, each with its own resolution of times."""

    def block(order: str, kind: int, body: bytes) -> bytes:
        body += bytes(-len(body) % 4)
        length = struct.pack(order + "I", len(body) + 12)
        return struct.pack(order + "I", kind) + length + body + length

    def interface(order: str, resolution: int) -> bytes:
        option = struct.pack(order + "HHBxxxHH", 9, 1, resolution, 0, 0)
        return block(order, 1, struct.pack(order + "HHI", link, 0, 0) + option)

    units = {6: 1_000_000, 9: 1_000_000_000, 0x94: 2**20}
    out = b""
    halves = [frames]
    if "sections" in form:
        halves = [frames[: len(frames) // 2], frames[len(frames) // 2 :]]
    for half in halves:
        order = chance.choice("<>")
        resolutions = [chance.choice([6, 9]) for _ in range(2 if "interfaces" in form else 1)]
        out += block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
        out += b"".join(interface(order, resolution) for resolution in resolutions)
        for index, (time_ns, length, kept) in enumerate(half):
            which = index % len(resolutions)
            ticks = time_ns * units[resolutions[which]] // 1_000_000_000
            head = struct.pack(order + "IIIII", which, ticks >> 32, ticks & 0xFFFFFFFF, len(kept), length)
            out += block(order, 6, head + kept)
    return out


def damage(data: bytes, chance: random.Random) -> bytes:
    """A cut, or some bytes that are others."""
    if chance.random() < 0.4:
        return data[: chance.randrange(1, len(data))]
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 3, 10])):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)
