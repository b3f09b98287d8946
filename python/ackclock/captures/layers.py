"""From a frame to its IP packet: link layers, tags and tunnels.

Link types are those of the registry of LINKTYPE_ values; a tunnel within a tunnel is opened too, so that the
packet found is the innermost one.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

from ackclock.captures.frames import Frame

__all__ = ["LINKS", "Packet", "Unreadable", "packet_of"]

IPV4, IPV6, VLAN_TYPES = 0x0800, 0x86DD, (0x8100, 0x88A8, 0x9100, 0x9200)
MPLS_TYPES, PPPOE_SESSION, BRIDGED_ETHERNET, PPP_IN_GRE = (0x8847, 0x8848), 0x8864, 0x6558, 0x880B
PPP_IPV4, PPP_IPV6 = 0x0021, 0x0057
IP_IN_IP, TCP, UDP, IPV6_IN_IP, GRE = 4, 6, 17, 41, 47
HOP_BY_HOP, ROUTING, FRAGMENT, AUTHENTICATION = 0, 43, 44, 51
EXTENSIONS = (HOP_BY_HOP, ROUTING, 60, 135, 139, 140)
"""Extension headers of IPv6 that have one form: the next header, then the length in units of eight bytes
without the first."""
VXLAN_PORT = 4789
NETFILTER_PAYLOAD = 9
PER_PACKET_INFORMATION = 192
PROCESS_TAPS = (149, 258)
DEEPEST = 12
"""The most layers of one packet; more are damage."""


class Unreadable(Exception):  # noqa: N818 - most captures have such frames
    """A frame whose IP packet cannot be read; the reason is "encrypted", or "" for another protocol."""


@dataclass(frozen=True, slots=True)
class Packet:
    """An IP packet, as far as its headers were kept."""

    source: bytes
    destination: bytes
    protocol: int
    total_bytes: int
    """The length of the packet, headers and what was not kept included."""
    payload_bytes: int
    """The length without the headers of IP."""
    payload: bytes
    """The bytes that the capture kept."""
    identification: int
    """The identification of IPv4, or of a fragment of IPv6; 0 without one."""
    fragment_offset: int
    """The offset of a fragment in bytes; 0 for whole packets and for the first fragment."""
    is_fragment: bool
    port: tuple[int, int]
    """The place where the frame was seen: the interface, and the direction in Linux' cooked header."""


def packet_of(frame: Frame) -> Packet:
    """The innermost IP packet. Raises Unreadable."""
    if frame.link not in LINKS:
        raise Unreadable(f"link type {frame.link}")
    try:
        return LINKS[frame.link](_Data(frame, frame.data, frame.wire_bytes))
    except (struct.error, IndexError):
        raise Unreadable("") from None


@dataclass(frozen=True, slots=True)
class _Data:
    """The rest of a frame, and its length on the wire."""

    frame: Frame
    kept: bytes
    length: int
    seen_as: int = 0
    depth: int = 0

    def after(self, count: int) -> _Data:
        """Without the first bytes."""
        if count > len(self.kept) or self.depth >= DEEPEST:
            raise IndexError(count)
        return _Data(self.frame, self.kept[count:], self.length - count, self.seen_as, self.depth + 1)

    def word(self, place: int) -> int:
        """16 bits in network order."""
        return int(struct.unpack_from(">H", self.kept, place)[0])


def _ethernet(data: _Data) -> Packet:
    return _by_ethertype(data.after(14), data.word(12))


def _by_ethertype(data: _Data, kind: int) -> Packet:
    if kind in (IPV4, IPV6):
        return _ip(data)
    if kind in VLAN_TYPES:
        return _by_ethertype(data.after(4), data.word(2))
    if kind in MPLS_TYPES:
        return _mpls(data)
    if kind == PPPOE_SESSION:
        return _ppp(data.after(6))
    if kind == BRIDGED_ETHERNET:
        return _ethernet(data)
    if kind == PPP_IN_GRE:
        return _ppp(data)
    if kind <= 1500:  # a length: IEEE 802.3 with LLC
        return _llc(data)
    raise Unreadable("")


def _llc(data: _Data) -> Packet:
    if data.kept[:3] != b"\xaa\xaa\x03":
        raise Unreadable("")
    return _by_ethertype(data.after(8), max(data.word(6), 1501))


def _mpls(data: _Data) -> Packet:
    while True:
        is_last = data.kept[2] & 1
        data = data.after(4)
        if is_last:
            break
    first = data.kept[0] >> 4
    if first in (4, 6):
        return _ip(data)
    # A pseudo-wire: its control word begins with zeros.
    return _ethernet(data.after(4) if first == 0 else data)


def _ppp(data: _Data) -> Packet:
    if data.kept[:2] == b"\xff\x03":  # address and control
        data = data.after(2)
    if data.kept[0] & 1:  # a protocol of one byte
        kind, data = data.kept[0], data.after(1)
    else:
        kind, data = data.word(0), data.after(2)
    if kind in (PPP_IPV4, PPP_IPV6):
        return _ip(data)
    raise Unreadable("")


def _cooked(data: _Data) -> Packet:
    """Linux' cooked header of version 1, which gives the direction of a packet."""
    return _by_ethertype(_Data(data.frame, data.kept[16:], data.length - 16, 1 + data.word(0)), data.word(14))


def _cooked_2(data: _Data) -> Packet:
    """Linux' cooked header of version 2, which gives the interface too."""
    interface, _, kind = struct.unpack_from(">IHB", data.kept, 4)
    rest = _Data(data.frame, data.kept[20:], data.length - 20, 1 + interface * 256 + kind)
    return _by_ethertype(rest, data.word(0))


def _loopback(data: _Data) -> Packet:
    """BSD's and macOS' loopback: an address family, in the order of the host that captured."""
    return _ip(data.after(4))


def _cisco_hdlc(data: _Data) -> Packet:
    return _by_ethertype(data.after(4), data.word(2))


def _packet_filter_log(data: _Data) -> Packet:
    return _ip(data.after((data.kept[0] + 3) // 4 * 4))


def _radiotap(data: _Data) -> Packet:
    return _wifi(data.after(int(struct.unpack_from("<H", data.kept, 2)[0])))


def _prism(data: _Data) -> Packet:
    """Prism's header, whose length is in the order of the host that captured, or AVS'."""
    kind, size = struct.unpack_from(">II", data.kept)
    if kind & 0xFFFFF000 != 0x80211000 and size >= 1 << 16:
        size = int.from_bytes(size.to_bytes(4, "big"), "little")
    return _wifi(data.after(size))


def _per_packet_information(data: _Data) -> Packet:
    size, link = struct.unpack_from("<HI", data.kept, 2)
    if link == PER_PACKET_INFORMATION or link not in LINKS:
        raise Unreadable("")
    return LINKS[link](data.after(size))


def _process_tap(data: _Data) -> Packet:
    """The header of macOS about the process of a packet, with its own length and the link type below."""
    size, _, link = struct.unpack_from("<III", data.kept)
    if link in PROCESS_TAPS or link not in LINKS:
        raise Unreadable("")
    return LINKS[link](data.after(size))


def _netfilter_log(data: _Data) -> Packet:
    """Fields with lengths and types in the order of the host that captured; the packet is one of them."""
    data = data.after(4)
    for order in "<>":
        place = 0
        while place + 4 <= len(data.kept):
            size, kind = struct.unpack_from(order + "HH", data.kept, place)
            if kind == NETFILTER_PAYLOAD:
                return _ip(data.after(place + 4))
            if size < 4:
                break
            place += (size + 3) // 4 * 4
    raise Unreadable("")


def _wifi(data: _Data) -> Packet:
    """A data frame of IEEE 802.11."""
    control, flags = data.kept[0], data.kept[1]
    if control >> 2 & 3 != 2 or control & 0x40:  # no data, or data without a body
        raise Unreadable("")
    if flags & 0x40:
        raise Unreadable("encrypted")
    header = 24 + (6 if flags & 3 == 3 else 0)
    if control & 0x80:  # of a class of service; aggregates have a header for each part
        if data.kept[header] & 0x80:
            raise Unreadable("")
        header += 2 + (4 if flags & 0x80 else 0)
    return _llc(data.after(header))


def _ip(data: _Data) -> Packet:
    version = data.kept[0] >> 4
    if version == 4:
        return _ipv4(data)
    if version == 6:
        return _ipv6(data)
    raise Unreadable("")


def _ipv4(data: _Data) -> Packet:
    header = (data.kept[0] & 15) * 4
    total, identification, place = data.word(2), data.word(4), data.word(6)
    protocol, source, destination = struct.unpack_from(">9xB2x4s4s", data.kept)
    total = total or data.length  # a large offloaded segment
    if header < 20 or total < header:
        raise Unreadable("")
    offset, is_fragment = (place & 0x1FFF) * 8, bool(place & 0x3FFF)
    payload = data.after(min(header, len(data.kept)))
    return _within(
        payload, Packet(
            source, destination, protocol, total, total - header, payload.kept[: total - header],
            identification, offset, is_fragment, _port(data),
        )
    )  # fmt: skip


def _ipv6(data: _Data) -> Packet:
    length, protocol, source, destination = struct.unpack_from(">4xHBx16s16s", data.kept)
    total = 40 + length if length else data.length  # a jumbogram, or a large offloaded segment
    rest, headers = data.after(40), 40
    identification, offset, is_fragment = 0, 0, False
    while protocol in (*EXTENSIONS, AUTHENTICATION, FRAGMENT) and not offset:
        if protocol == FRAGMENT:
            place, identification = struct.unpack_from(">2xHI", rest.kept)
            offset, is_fragment = place & 0xFFF8, bool(place & 0xFFF9)
            size = 8
        else:
            size = (rest.kept[1] + 2) * 4 if protocol == AUTHENTICATION else (rest.kept[1] + 1) * 8
        protocol, headers, rest = rest.kept[0], headers + size, rest.after(size)
    if total < headers:
        raise Unreadable("")
    return _within(
        rest, Packet(
            source, destination, protocol, total, total - headers, rest.kept[: total - headers],
            identification, offset, is_fragment, _port(data),
        )
    )  # fmt: skip


def _port(data: _Data) -> tuple[int, int]:
    return data.frame.interface, data.seen_as


def _within(payload: _Data, packet: Packet) -> Packet:
    """The inner packet, if this one belongs to a tunnel."""
    if packet.is_fragment:
        return packet
    if packet.protocol in (IP_IN_IP, IPV6_IN_IP):
        return _ip(payload)
    if packet.protocol == GRE:
        return _gre(payload)
    if packet.protocol == UDP and len(payload.kept) >= 16 and payload.word(2) == VXLAN_PORT:
        return _ethernet(payload.after(16))
    return packet


def _gre(data: _Data) -> Packet:
    flags, kind = data.word(0), data.word(2)
    fields = (0x8000, 0x2000, 0x1000, 0x0080)  # checksum, key, sequence number, acknowledgment of version 1
    return _by_ethertype(data.after(4 + 4 * sum(bool(flags & each) for each in fields)), kind)


LINKS: dict[int, Callable[[_Data], Packet]] = {
    0: _loopback,
    1: _ethernet,
    8: lambda data: _ip(data.after(16)),  # SLIP of BSD
    9: _ppp,
    12: _ip,
    14: _ip,
    50: _ppp,
    51: lambda data: _ppp(data.after(6)),
    101: _ip,
    104: _cisco_hdlc,
    105: _wifi,
    108: _loopback,
    113: _cooked,
    117: _packet_filter_log,
    119: _prism,
    127: _radiotap,
    163: _prism,
    **dict.fromkeys(PROCESS_TAPS, _process_tap),
    PER_PACKET_INFORMATION: _per_packet_information,
    228: _ip,
    229: _ip,
    239: _netfilter_log,
    276: _cooked_2,
}
"""The function that reads each link type."""
