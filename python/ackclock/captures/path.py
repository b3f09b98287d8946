"""The path behind a packet capture: the rate delivered over time, and the smallest round-trip time.

The rate is that of the path only where packets waited for it: elsewhere it is the sender's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ackclock.captures import round_trips
from ackclock.captures.conversations import Direction, Key, Traffic, conversations
from ackclock.captures.frames import Capture, read_frames
from ackclock.captures.layers import LINKS, TCP
from ackclock.errors import InputError

__all__ = ["CapturedPath", "read_capture"]

Floats = NDArray[np.float64]

MOST_BINS = 1_000_000
"""The most steps of a schedule: a day in steps of 86 ms. A packet with a damaged time would need more."""

READ = "Ethernet, Wi-Fi, PPP, loopback, Linux cooked or raw IP"


@dataclass(frozen=True)
class CapturedPath:
    """The path in the direction that carries most bytes, as a capture shows it."""

    bin_s: float
    rate_bit_per_s: Floats
    """The rate of IP packets in each bin, from the first packet of the direction on."""
    packets: int
    bytes: int
    """Of the IP packets."""
    rtt_s: Floats
    """The smallest round-trip time in each bin, NaN where there is none."""
    min_rtt_s: float | None
    """The smallest round-trip time of the path; None if the capture does not show it."""
    rtt_source: str
    """The way in which the round-trip time was measured, or the reason why it is unknown."""
    notes: tuple[str, ...]
    """Further facts that a reader of the capture needs, a sentence each."""

    @property
    def times_s(self) -> Floats:
        """The beginnings of the bins."""
        return np.arange(len(self.rate_bit_per_s), dtype=np.float64) * np.float64(self.bin_s)

    @property
    def duration_s(self) -> float:
        """The bins together."""
        return len(self.rate_bit_per_s) * self.bin_s

    def csv(self) -> str:
        """A file for `schedule = { file = .. }`. Its delay is half of the smallest round-trip time."""
        rtt = self.min_rtt_s
        head = "time_s,rate_bit_per_s" + ("" if rtt is None else ",delay_s")
        delay = "" if rtt is None else f",{rtt / 2:.9f}"
        rows = zip(self.times_s, self.rate_bit_per_s, strict=True)
        return "\n".join([head, *(f"{time:.6f},{rate:.0f}{delay}" for time, rate in rows)]) + "\n"


def read_capture(file: Path, bin_s: float) -> CapturedPath:
    """The path behind a pcap or pcapng file, compressed by gzip or not. Raises InputError."""
    capture = read_frames(file)
    if not capture.frames:
        raise InputError(
            f"{file}: this capture holds no times of packets"
            if capture.timeless
            else f"{file}: this capture holds no packet"
        )
    traffic = conversations(capture.frames)
    if not traffic.directions:
        raise InputError(f"{file}: {_nothing(capture, traffic)}")
    return _found(file, capture, traffic, bin_s)


def _nothing(capture: Capture, traffic: Traffic) -> str:
    """Why a capture shows no conversation."""
    unknown = sorted({frame.link for frame in capture.frames if frame.link not in LINKS})
    if unknown and len(unknown) == len({frame.link for frame in capture.frames}):
        return f"found link type {unknown[0]}; expected {READ}"
    if traffic.unreadable["encrypted"]:
        return "its Wi-Fi frames are encrypted: their packets cannot be read"
    if traffic.portless or traffic.orphans:
        return "its packets of TCP and UDP were cut before their ports"
    return "found no packets of TCP or UDP over IP"


def _found(file: Path, capture: Capture, traffic: Traffic, bin_s: float) -> CapturedPath:
    chosen = _chosen(traffic)
    directions = [traffic.directions[key] for key in chosen]
    times_ns = np.concatenate([np.array(each.times_ns, dtype=np.int64) for each in directions])
    sizes = np.concatenate([np.array(each.sizes, dtype=np.int64) for each in directions])
    first_ns = int(times_ns.min())
    span_s = (int(times_ns.max()) - first_ns) * 1e-9
    # The last bin is not full, so that it is left out.
    bins = int(span_s / bin_s)
    if bins > MOST_BINS:
        raise InputError(
            f"{file}: its packets span {span_s:g} s; expected at most {MOST_BINS} bins of {bin_s:g} s"
        )
    if bins < 1:
        raise InputError(f"{file}: its packets span less than a bin of {bin_s:g} s")
    places = ((times_ns - first_ns) * 1e-9 / bin_s).astype(np.int64)
    bits = np.bincount(places, weights=sizes * 8.0)[:bins]
    samples, source = _round_trips(traffic, chosen)
    smallest = np.full(bins, np.inf)
    for time_ns, rtt_ns in samples:
        place = int((time_ns - first_ns) * 1e-9 / bin_s)
        if 0 <= place < bins:
            smallest[place] = min(smallest[place], rtt_ns * 1e-9)
    rtts = np.where(np.isfinite(smallest), smallest, np.nan)
    least = min((rtt_ns for _, rtt_ns in samples), default=None)
    return CapturedPath(
        bin_s, bits / bin_s, len(times_ns), int(sizes.sum()), rtts,
        None if least is None else least * 1e-9, source, tuple(_notes(capture, traffic)),
    )  # fmt: skip


def _chosen(traffic: Traffic) -> list[Key]:
    """The flows from the host with most bytes to its peer, and others that send more than they receive."""
    totals: dict[tuple[bytes, bytes], int] = {}
    for (_, source, _, destination, _), each in traffic.directions.items():
        totals[source, destination] = totals.get((source, destination), 0) + sum(each.sizes)
    ends = max(totals, key=lambda ends: totals[ends])

    def sent(key: Key) -> int:
        each = traffic.directions.get(key)
        return sum(each.sizes) if each else 0

    return [
        key
        for key in traffic.directions
        if (key[1], key[3]) == ends or ((key[3], key[1]) != ends and sent(key) > sent(_reverse(key)))
    ]


def _reverse(key: Key) -> Key:
    protocol, source, port, destination, other = key
    return protocol, destination, other, source, port


def _round_trips(traffic: Traffic, chosen: list[Key]) -> tuple[list[tuple[int, int]], str]:
    """The times of the path's round trips, and the round trips.

    How they were measured, or why there are none.
    """
    pairs = [(traffic.directions[key], traffic.directions.get(_reverse(key)), key) for key in chosen]
    tcp = [(one, other) for one, other, key in pairs if other is not None and key[0] == TCP]
    found: list[tuple[int, int]] = []
    for one, other in tcp:
        found += _of_path(one, other)
    if found:
        return found, "handshakes, data, acknowledgments and their timestamps"
    for forward, backward, key in pairs:
        for each in (forward, backward) if key[0] != TCP else ():
            found += list(round_trips.spun(each)) if each is not None else []
    if found:
        return found, "QUIC's spin bit"
    for one, other in tcp:
        found += list(round_trips.acknowledged(one, other))
    if found:
        return found, (
            "data and acknowledgments: from where it was captured to the receiver and back, "
            "which is the path's only if it was captured at the sender"
        )
    if not any(other for _, other, _ in pairs):
        return [], "one direction only"
    if not any(key[0] == TCP for key in chosen):
        return [], "datagrams have no acknowledgments that can be seen"
    if not any(each.segments.count(None) < len(each.segments) for pair in tcp for each in pair):
        return [], "of no packet of TCP a whole header was kept"
    return [], "no data was acknowledged"


def _of_path(forward: Direction, backward: Direction) -> Iterator[tuple[int, int]]:
    """Round trips: each part to the receiver and back plus the smallest part to the sender and back."""
    halves = round_trips.handshake(forward, backward)
    parts = [*round_trips.echoed(forward, backward), *([halves.to_sender_ns] if halves else [])]
    if halves:
        yield forward.times_ns[0], halves.total_ns
    if parts:
        to_sender = min(parts)
        yield from ((time, rtt + to_sender) for time, rtt in round_trips.acknowledged(forward, backward))


def _notes(capture: Capture, traffic: Traffic) -> Iterator[str]:
    if capture.cut:
        yield "the file ends within a packet, which is left out"
    if capture.timeless:
        yield f"{capture.timeless} packets have no time and are left out"
    if traffic.copies:
        yield f"{traffic.copies} packets were recorded twice and count once"
    if traffic.offloaded:
        yield (
            f"{traffic.offloaded} packets are larger than links carry: the host cut them or joined them, and "
            "headers of their parts are missing in the rate"
        )
    for count, what in (
        (traffic.portless, "packets were cut before their ports"),
        (traffic.orphans, "fragments belong to packets whose first fragment is not here"),
    ):
        if count:
            yield f"{count} {what}: they are left out, and the rate is too low"
    unreadable = sum(traffic.unreadable.values())
    if traffic.unreadable["encrypted"]:
        yield f"{traffic.unreadable['encrypted']} Wi-Fi frames are encrypted and left out"
    elif unreadable:
        yield f"{unreadable} frames hold no IP packet that can be read and are left out"
