"""The path behind a packet capture: the rate delivered over time, and the smallest round-trip time.

The rate is that of the path only where packets waited for it: elsewhere it is the sender's.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ackclock.errors import InputError

__all__ = ["CapturedPath", "read_capture"]

Floats = NDArray[np.float64]

LINK_ETHERNET, LINK_RAW, LINK_LINUX, LINK_IPV4, LINK_IPV6 = 1, 101, 113, 228, 229
RAW = (12, 14, LINK_RAW, LINK_IPV4, LINK_IPV6)
"""Packets that begin with their IP header; 12 and 14 are those of BSD."""

MOST_BINS = 1_000_000
"""Of a schedule: a day in steps of 86 ms. A damaged time of a packet asks for more."""

Flow = tuple[bytes, int, bytes, int]
"""Source and its port, destination and its port."""


@dataclass(frozen=True)
class CapturedPath:
    """What a capture shows of the direction that carries most bytes."""

    bin_s: float
    rate_bit_per_s: Floats
    """In each bin, from the first packet of the direction on; of IP packets."""
    packets: int
    rtt_s: Floats
    """The smallest round-trip time from data to acknowledgment in each bin, NaN where there is none."""

    @property
    def times_s(self) -> Floats:
        """The beginnings of the bins."""
        return np.arange(len(self.rate_bit_per_s), dtype=np.float64) * np.float64(self.bin_s)

    @property
    def duration_s(self) -> float:
        """The bins together."""
        return len(self.rate_bit_per_s) * self.bin_s

    @property
    def min_rtt_s(self) -> float | None:
        """The smallest round-trip time; None if the capture has one direction only."""
        found = self.rtt_s[np.isfinite(self.rtt_s)]
        return float(found.min()) if found.size else None

    def csv(self) -> str:
        """A file for `schedule = { file = .. }`; half of the smallest round-trip time is the delay."""
        rtt = self.min_rtt_s
        head = "time_s,rate_bit_per_s" + ("" if rtt is None else ",delay_s")
        delay = "" if rtt is None else f",{rtt / 2:.9f}"
        rows = zip(self.times_s, self.rate_bit_per_s, strict=True)
        return "\n".join([head, *(f"{time:.6f},{rate:.0f}{delay}" for time, rate in rows)]) + "\n"


@dataclass
class _Direction:
    """The packets of one flow in one direction."""

    times: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    """The sequence number behind each data packet, as the acknowledgment has it; -1 without data."""
    acknowledgments: list[int] = field(default_factory=list)


def read_capture(file: Path, bin_s: float) -> CapturedPath:
    """Reads a pcap or pcapng file of IP packets. Raises InputError."""
    import dpkt  # noqa: PLC0415 - only this needs it

    flows: dict[Flow, _Direction] = {}
    try:
        with file.open("rb") as opened:
            reader = dpkt.pcap.UniversalReader(opened)
            link = reader.datalink()
            if link not in (LINK_ETHERNET, LINK_LINUX, *RAW):
                raise InputError(f"{file}: link type {link}: expected Ethernet, Linux cooked or raw IP")
            for time, data in reader:
                _count(flows, float(time), _ip(link, data))
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    except (ValueError, struct.error, dpkt.dpkt.Error):
        raise InputError(
            f"{file}: found no whole capture; expected a file in pcap or pcapng format"
        ) from None
    return _found(file, flows, bin_s)


def _ip(link: int, data: bytes) -> object:
    """The IP packet of a frame; None for another one, or one cut off before its end of headers."""
    import dpkt  # noqa: PLC0415 - as above

    try:
        if link in RAW:
            return dpkt.ip6.IP6(data) if data[:1] and data[0] >> 4 == 6 else dpkt.ip.IP(data)
        frame = dpkt.ethernet.Ethernet(data) if link == LINK_ETHERNET else dpkt.sll.SLL(data)
    except dpkt.dpkt.Error:
        return None
    return frame.data


def _count(flows: dict[Flow, _Direction], time: float, packet: object) -> None:
    import dpkt  # noqa: PLC0415 - as above

    if isinstance(packet, dpkt.ip.IP):
        size, headers = packet.len, packet.hl * 4
    elif isinstance(packet, dpkt.ip6.IP6):
        size, headers = packet.plen + 40, 40
    else:
        return
    inner = packet.data
    if not isinstance(inner, dpkt.tcp.TCP | dpkt.udp.UDP):
        return
    key = (bytes(packet.src), int(inner.sport), bytes(packet.dst), int(inner.dport))
    mine = flows.setdefault(key, _Direction())
    mine.times.append(time)
    mine.sizes.append(size)
    end, acknowledgment = -1, -1
    if isinstance(inner, dpkt.tcp.TCP):
        payload = size - headers - inner.off * 4
        end = (inner.seq + payload) % 2**32 if payload > 0 else -1
        acknowledgment = inner.ack if inner.flags & dpkt.tcp.TH_ACK else -1
    mine.ends.append(end)
    mine.acknowledgments.append(acknowledgment)


def _found(file: Path, flows: dict[Flow, _Direction], bin_s: float) -> CapturedPath:
    """The hosts between which most bytes went, in that direction."""
    totals: dict[tuple[bytes, bytes], int] = {}
    for (source, _, destination, _), each in flows.items():
        totals[source, destination] = totals.get((source, destination), 0) + sum(each.sizes)
    if not totals:
        raise InputError(f"{file}: found no packets of TCP or UDP over IP")
    # Flows of other hosts count that send more than they get.
    (sender, receiver), _ = max(totals.items(), key=lambda item: item[1])
    chosen = [
        key
        for key in flows
        if (key[0], key[2]) == (sender, receiver) or sum(flows[key].sizes) > _back(flows, key)
    ]
    times = np.concatenate([flows[key].times for key in chosen])
    sizes = np.concatenate([flows[key].sizes for key in chosen])
    first = float(times.min())
    bins = int((float(times.max()) - first) / bin_s)
    if bins > MOST_BINS:
        span = f"its packets span {float(times.max()) - first:g} s"
        raise InputError(f"{file}: {span}; expected at most {MOST_BINS} bins of {bin_s:g} s")
    if bins < 1:
        raise InputError(f"{file}: its packets span less than a bin of {bin_s:g} s")
    # The last bin is not full, and left out.
    places = ((times - first) / bin_s).astype(np.int64)
    bits = np.bincount(places, weights=sizes * 8.0)[:bins]
    smallest = np.full(bins, np.inf)
    for key in chosen:
        for time, rtt in _round_trips(flows[key], flows.get((key[2], key[3], key[0], key[1]))):
            place = int((time - first) / bin_s)
            if 0 <= place < bins:
                smallest[place] = min(smallest[place], rtt)
    rtts = np.where(np.isfinite(smallest), smallest, np.nan)
    return CapturedPath(bin_s, bits / bin_s, len(times), rtts)


def _back(flows: dict[Flow, _Direction], key: Flow) -> int:
    """The bytes of the other direction."""
    other = flows.get((key[2], key[3], key[0], key[1]))
    return sum(other.sizes) if other else 0


def _round_trips(forward: _Direction, backward: _Direction | None) -> Iterator[tuple[float, float]]:
    """Times of acknowledgments, and since when their packet was sent; none of packets sent twice (Karn)."""
    if backward is None:
        return
    sent: dict[int, float] = {}
    twice = set()
    for time, end in zip(forward.times, forward.ends, strict=True):
        if end in sent:
            twice.add(end)
        sent.setdefault(end, time)
    for time, acknowledgment in zip(backward.times, backward.acknowledgments, strict=True):
        begun = sent.pop(acknowledgment, None) if acknowledgment >= 0 else None
        if begun is not None and begun <= time and acknowledgment not in twice:
            yield time, time - begun
