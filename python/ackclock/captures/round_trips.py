"""Round-trip times of a conversation, measured at the place of the capture.

The capture splits a path in two. Between a packet of data and its acknowledgment lies the part from the
capture to the receiver and back; between an acknowledgment and the data that echoes its timestamp (RFC 7323)
lies the part to the sender and back. Their smallest times add up to the path's, wherever the capture was
made. The three packets of a handshake give both parts at once, and so does the spin bit of QUIC (RFC 9000,
17.4).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from ackclock.captures.conversations import ACK, RST, SYN, Direction

__all__ = ["Halves", "acknowledged", "echoed", "handshake", "spun"]

WINDOW = 1 << 31
NS = 1e-9

LEAST_EDGES = 8
"""The least number of turns of a spin bit that is used. Endpoints that do not use it set it once for the
connection, or at random."""


@dataclass(frozen=True, slots=True)
class Halves:
    """The two parts of a round trip, in nanoseconds."""

    to_receiver_ns: int
    to_sender_ns: int

    @property
    def total_ns(self) -> int:
        """The round-trip time of the path."""
        return self.to_receiver_ns + self.to_sender_ns


def acknowledged(forward: Direction, backward: Direction) -> Iterator[tuple[int, int]]:
    """The times of acknowledgments, and the time since their packet passed.

    None for data sent twice (Karn).
    """
    sent: dict[int, int] = {}
    twice: set[int] = set()
    for time_ns, segment in zip(forward.times_ns, forward.segments, strict=True):
        if segment is None or not segment.payload_bytes or segment.flags & RST:
            continue
        end = (segment.sequence + segment.payload_bytes) % 2**32
        if end in sent:
            twice.add(end)
        sent.setdefault(end, time_ns)
    for time_ns, segment in zip(backward.times_ns, backward.segments, strict=True):
        if segment is None or segment.acknowledgment < 0 or segment.flags & RST:
            continue
        begun = sent.pop(segment.acknowledgment, None)
        if begun is not None and begun <= time_ns and segment.acknowledgment not in twice:
            yield time_ns, time_ns - begun


def echoed(forward: Direction, backward: Direction) -> Iterator[int]:
    """The times between the first acknowledgment with a timestamp and the first data that echoes it."""
    passed: dict[int, int] = {}
    for time_ns, segment in zip(backward.times_ns, backward.segments, strict=True):
        if segment is not None and segment.timestamps and segment.acknowledgment >= 0:
            passed.setdefault(segment.timestamps[0], time_ns)
    for time_ns, segment in zip(forward.times_ns, forward.segments, strict=True):
        if segment is not None and segment.timestamps and segment.payload_bytes:
            begun = passed.pop(segment.timestamps[1], None)
            if begun is not None and begun <= time_ns:
                yield time_ns - begun


def handshake(forward: Direction, backward: Direction) -> Halves | None:
    """The parts of the handshake's round trip.

    None if the handshake is not complete, or if one of its packets came twice.
    """
    for one, other, is_forward in ((forward, backward, True), (backward, forward, False)):
        syns = [time for time, flags in _flags(one) if flags & SYN and not flags & ACK]
        answers = [time for time, flags in _flags(other) if flags & SYN and flags & ACK]
        if len(syns) != 1 or len(answers) != 1 or answers[0] < syns[0]:
            continue
        third = [t for t, flags in _flags(one) if t >= answers[0] and flags & ACK and not flags & (SYN | RST)]
        if third:
            first_part, second_part = answers[0] - syns[0], third[0] - answers[0]
            return Halves(first_part, second_part) if is_forward else Halves(second_part, first_part)
    return None


def _flags(direction: Direction) -> Iterator[tuple[int, int]]:
    for time_ns, segment in zip(direction.times_ns, direction.segments, strict=True):
        if segment is not None:
            yield time_ns, segment.flags


def spun(direction: Direction) -> Iterator[tuple[int, int]]:
    """The times at which QUIC's spin bit turned, and the time since it had turned before.

    A connection is one of QUIC if it begins with a long header. A bit that turns more often than
    at every fourth packet is random. A turn counts if the next packet agrees: one out of order
    turns it twice.
    """
    if not direction.first_bytes or not direction.first_bytes[0][:1]:
        return
    if direction.first_bytes[0][0] & 0xC0 != 0xC0:
        return
    bits = [
        (time_ns, first[0] & 0x20)
        for time_ns, first in zip(direction.times_ns, direction.first_bytes, strict=True)
        if first and first[0] & 0xC0 == 0x40  # a short header has the fixed bit alone
    ]
    changes = sum(one != other for (_, one), (_, other) in pairwise(bits))
    if changes * 4 > len(bits):
        return
    turns: list[int] = []
    last = bits[0][1] if bits else 0
    for (time_ns, bit), (_, following) in pairwise(bits):
        if bit != last and following == bit:
            turns.append(time_ns)
            last = bit
    if len(turns) >= LEAST_EDGES:
        yield from ((after, after - before) for before, after in pairwise(turns))
