"""Frames and files of drawn captures: link layers, tunnels, pcap and pcapng, and what damages them."""

from __future__ import annotations

import io
import random
import struct
from typing import Any

from scapy.contrib.mpls import MPLS
from scapy.layers.dot11 import Dot11, Dot11QoS, RadioTap
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import GRE, LLC, SNAP, CookedLinux, CookedLinuxV2, Dot1AD, Dot1Q, Ether
from scapy.layers.ppp import PPP, PPPoE
from scapy.layers.vxlan import VXLAN
from scapy.packet import Raw

FORMATS = (
    "pcap",
    "pcap in nanoseconds",
    "pcap of the other order",
    "pcapng",
    "pcapng of two interfaces",
    "pcapng of two sections",
)
LINKS = {
    "ethernet": 1, "raw": 101, "ipv4 or ipv6": 101, "cooked": 113, "cooked 2": 276, "loopback": 0,
    "openbsd loopback": 108, "wifi": 105, "radiotap": 127, "prism": 119, "avs": 163, "ppi": 192, "ppp": 9,
}  # fmt: skip
"""The registered numbers of link types."""

TAGS = ("vlan", "qinq", "mpls", "pppoe")
"""Of links with an EtherType."""

TUNNELS = ("none", "none", *TAGS, "gre", "gre with key", "ip in ip", "vxlan", "snap")

Framed = tuple[int, int, int, bytes]
"""A frame: its time in nanoseconds, its link type, its length and what was kept of it."""


def within(packet: Any, tunnel: str, link: str, version: int) -> Any:
    """The packet in its tunnel, in a frame of the link."""
    kind = 0x0800 if version == 4 else 0x86DD
    outer = IP(src="192.0.2.1", dst="192.0.2.2")
    if tunnel == "gre":
        packet, kind = outer / GRE(proto=kind) / packet, 0x0800
    elif tunnel == "gre with key":
        header = GRE(proto=kind, key_present=1, key=5, seqnum_present=1, chksum_present=1)
        packet, kind = outer / header / packet, 0x0800
    elif tunnel == "ip in ip":
        packet, kind = IP(src="192.0.2.1", dst="192.0.2.2", proto=4 if version == 4 else 41) / packet, 0x0800
    elif tunnel == "vxlan":
        inner = Ether(src="02:00:00:00:00:03", dst="02:00:00:00:00:04", type=kind) / packet
        packet, kind = outer / UDP(sport=50_000, dport=4789) / VXLAN(vni=7) / inner, 0x0800
    layers: Any = packet
    if tunnel == "vlan":
        layers, kind = Dot1Q(vlan=7, type=kind) / packet, 0x8100
    elif tunnel == "qinq":
        layers, kind = Dot1AD(vlan=9, type=0x8100) / Dot1Q(vlan=7, type=kind) / packet, 0x88A8
    elif tunnel == "mpls":
        layers, kind = MPLS(label=17, s=0) / MPLS(label=18, s=1) / packet, 0x8847
    elif tunnel == "pppoe":
        inner_bytes = bytes(PPP(proto=0x21 if kind == 0x0800 else 0x57) / packet)
        layers, kind = PPPoE(sessionid=3) / Raw(inner_bytes[-len(packet) - 2 :]), 0x8864
    if link == "ethernet" and tunnel == "snap":
        inner = LLC(dsap=0xAA, ssap=0xAA, ctrl=3) / SNAP(OUI=0, code=kind) / layers
        return Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02", type=len(inner)) / inner
    return framed(layers, kind, link)


def framed(layers: Any, kind: int, link: str) -> Any:
    """A frame of the link around what has this EtherType."""
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
    if link == "ppp":
        return b"\xff\x03" + struct.pack(">H", 0x21 if kind == 0x0800 else 0x57) + bytes(layers)
    if link in ("wifi", "radiotap", "prism", "avs", "ppi"):
        frame = Dot11(type=2, subtype=8, FCfield=1) / Dot11QoS() / LLC(dsap=0xAA, ssap=0xAA, ctrl=3)
        return with_radio(frame / SNAP(OUI=0, code=kind) / layers, link)
    return layers


def with_radio(frame: Any, link: str) -> Any:
    """A Wi-Fi frame below what its radio said of it."""
    if link == "radiotap":
        return RadioTap() / frame
    if link == "prism":
        return struct.pack("<II", 0x44, 144) + bytes(136) + bytes(frame)
    if link == "avs":
        return struct.pack(">II", 0x80211001, 64) + bytes(56) + bytes(frame)
    if link == "ppi":
        return struct.pack("<BBHI", 0, 0, 8, 105) + bytes(frame)
    return frame


def written(form: str, frames: list[Framed], chance: random.Random) -> bytes:
    """The file. A pcap file is of one link type, that of its first frame."""
    if form.startswith("pcapng"):
        return pcapng(form, frames, chance)
    order = ">" if "order" in form else "<"
    unit = 1 if "nanoseconds" in form else 1000
    word = 0xA1B23C4D if unit == 1 else 0xA1B2C3D4
    out = io.BytesIO()
    out.write(struct.pack(order + "IHHiIII", word, 2, 4, 0, 0, 262_144, frames[0][1]))
    for time_ns, _, length, kept in frames:
        seconds, rest = divmod(time_ns, 1_000_000_000)
        out.write(struct.pack(order + "IIII", seconds, rest // unit, len(kept), length) + kept)
    return out.getvalue()


UNITS = {6: 1_000_000, 9: 1_000_000_000, 0x94: 2**20}
"""Units in a second, by the resolution of an interface."""


def block(order: str, kind: int, body: bytes) -> bytes:
    """A block of pcapng."""
    body += bytes(-len(body) % 4)
    length = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + length + body + length


def interface(order: str, link: int, resolution: int, offset_s: int) -> bytes:
    """The description of an interface, with the resolution and the offset of its times."""
    options = struct.pack(order + "HHBxxx", 9, 1, resolution)
    if offset_s:
        options += struct.pack(order + "HHq", 14, 8, offset_s)
    return block(order, 1, struct.pack(order + "HHI", link, 0, 0) + options + bytes(4))


def pcapng(form: str, frames: list[Framed], chance: random.Random) -> bytes:
    """A file of interfaces or sections, each with its own link type, resolution and offset of times."""
    out = b""
    halves = [frames]
    if "sections" in form:
        halves = [frames[: len(frames) // 2], frames[len(frames) // 2 :]]
    for half in halves:
        order = chance.choice("<>")
        out += block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
        links = list(dict.fromkeys(link for _, link, _, _ in half))
        if "interfaces" in form and len(links) == 1:
            links *= 2
        interfaces = [
            (link, chance.choice(list(UNITS)), chance.choice([0, 0, 1_600_000_000])) for link in links
        ]
        out += b"".join(interface(order, *each) for each in interfaces)
        # Blocks of other kinds stand between: names of hosts here.
        out += block(order, 4, bytes(4))
        for index, (time_ns, link, length, kept) in enumerate(half):
            fitting = [place for place, each in enumerate(interfaces) if each[0] == link]
            which = fitting[index % len(fitting)]
            _, resolution, offset_s = interfaces[which]
            ticks = (time_ns - offset_s * 1_000_000_000) * UNITS[resolution] // 1_000_000_000
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
