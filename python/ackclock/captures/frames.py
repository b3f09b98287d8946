"""The frames of a capture file: pcap and pcapng, plain or compressed by gzip.

Formats: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng. A capture that is still being written, or was
cut, ends within a record: the frames before that record are complete and are kept.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from ackclock.errors import InputError

__all__ = ["Capture", "Frame", "read_frames"]

PCAP_UNITS_NS = {0xA1B2C3D4: 1000, 0xA1B23C4D: 1, 0xA1B2CD34: 1000}
"""Nanoseconds in the fraction of a second of a record, by the file's first word."""

MODIFIED = 0xA1B2CD34
"""The first word of files whose records have eight bytes more (A. Kuznetsov's patch)."""

SECTION, INTERFACE, OLD_PACKET, SIMPLE_PACKET, ENHANCED_PACKET = 0x0A0D0D0A, 1, 2, 3, 6
"""Blocks of pcapng that are read; others are skipped."""

TSRESOL, TSOFFSET = 9, 14
"""Options of an interface: the resolution of its times, and the seconds to add to them."""

MOST_BYTES = 1 << 24
"""The largest length of a record. Tools write no larger ones: a larger length is damage."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame as it was captured."""

    time_ns: int
    link: int
    """The link type, as registered for LINKTYPE_ values."""
    interface: int
    """The number of the interface that captured it, counted over all sections of the file."""
    data: bytes
    """The bytes that the snap length kept."""
    wire_bytes: int
    """Its length on the wire."""


@dataclass
class Capture:
    """The contents of a file."""

    frames: list[Frame] = field(default_factory=list)
    cut: bool = False
    """The file ends within a record."""
    timeless: int = 0
    """Frames without a time, which are in no list: simple packet blocks of pcapng."""


class _Cut(Exception):  # noqa: N818 - the end of a file is no error
    """The file ends within a record."""


def read_frames(file: Path) -> Capture:
    """All frames of a file in pcap or pcapng format. Raises InputError."""
    try:
        with file.open("rb") as opened:
            start = opened.read(4)
            opened.seek(0)
            if start[:2] == b"\x1f\x8b":
                with gzip.GzipFile(fileobj=opened) as unpacked:
                    return _read(file, _Source(unpacked))
            return _read(file, _Source(opened))
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from None


class _Source:
    """A file that notices an end within the bytes asked for."""

    def __init__(self, opened: BinaryIO | gzip.GzipFile) -> None:
        self._opened = opened

    def take(self, count: int) -> bytes:
        """The next bytes; none at the end of the file. Raises _Cut where there are fewer."""
        try:
            data = self._opened.read(count)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise _Cut from None
        if 0 < len(data) < count:
            raise _Cut
        return data

    def rest(self, count: int) -> bytes:
        """The next bytes of a record that has begun. Raises _Cut where there are fewer."""
        data = self.take(count)
        if len(data) < count:
            raise _Cut
        return data


def _read(file: Path, source: _Source) -> Capture:
    capture = Capture()
    try:
        start = source.take(4)
        words = [struct.unpack(order + "I", start)[0] for order in "<>"] if start else []
        if SECTION in words:
            _read_blocks(file, source, capture, start)
        elif found := [order for order, word in zip("<>", words, strict=True) if word in PCAP_UNITS_NS]:
            _read_records(file, source, capture, start, found[0])
        else:
            raise InputError(f"{file}: {_wrong_start(start)}; expected a capture in pcap or pcapng format")
    except _Cut:
        capture.cut = True
        if not capture.frames:
            raise InputError(f"{file}: this capture is cut before the end of its first packet") from None
    return capture


def _wrong_start(start: bytes) -> str:
    if not start:
        return "found an empty file"
    text = start.decode("ascii", "replace")
    shown = f"the letters {text}" if text.isascii() and text.isprintable() else f"the bytes {start.hex(' ')}"
    return f"found a file that begins with {shown}"


def _read_records(file: Path, source: _Source, capture: Capture, start: bytes, order: str) -> None:
    """The records of a pcap file."""
    word = struct.unpack(order + "I", start)[0]
    # Upper bits of the word tell of a frame check sequence.
    link = struct.unpack(order + "16xI", source.rest(20))[0] & 0xFFFF
    header = struct.Struct(order + ("IIII8x" if word == MODIFIED else "IIII"))
    unit = PCAP_UNITS_NS[word]
    while head := source.take(header.size):
        seconds, fraction, kept, length = header.unpack(head)
        if kept > MOST_BYTES or fraction * unit >= 1_000_000_000:
            raise _damaged(file, capture)
        time_ns = seconds * 1_000_000_000 + fraction * unit
        capture.frames.append(Frame(time_ns, link, 0, source.rest(kept), max(length, kept)))


def _damaged(file: Path, capture: Capture) -> InputError:
    return InputError(f"{file}: this capture is damaged after its packet {len(capture.frames)}")


@dataclass(frozen=True, slots=True)
class _Interface:
    """An interface of a section of a pcapng file."""

    link: int
    number: int
    per_second: int
    """Units of its times."""
    offset_s: int
    snap: int

    def time_ns(self, units: int) -> int:
        """A time in nanoseconds. Raises ValueError beyond the year 2262: something is damaged."""
        time_ns = self.offset_s * 1_000_000_000 + units * 1_000_000_000 // self.per_second
        if not 0 <= time_ns < 1 << 63:
            raise ValueError(time_ns)
        return time_ns


def _read_blocks(file: Path, source: _Source, capture: Capture, start: bytes) -> None:
    """The blocks of a pcapng file, section by section."""
    order = "<"
    interfaces: list[_Interface] = []
    count = 0
    while start:
        head = source.rest(4)
        body = b""
        if start == SECTION.to_bytes(4, "little"):  # reads the same in both orders
            body = source.rest(4)
            order = "<" if body == b"\x4d\x3c\x2b\x1a" else ">"
            if body not in (b"\x4d\x3c\x2b\x1a", b"\x1a\x2b\x3c\x4d"):
                raise _damaged(file, capture)
            interfaces = []
        kind, length = struct.unpack(order + "II", start + head)
        if length < 12 or length % 4 or length > MOST_BYTES:
            raise _damaged(file, capture)
        body += source.rest(length - 12 - len(body))
        if source.rest(4) != head:
            raise _damaged(file, capture)
        try:
            if kind == INTERFACE:
                interfaces.append(_interface(order, body, count))
                count += 1
            elif kind in (ENHANCED_PACKET, OLD_PACKET):
                capture.frames.append(_packet(order, kind, body, interfaces))
            elif kind == SIMPLE_PACKET:
                capture.timeless += 1
        except (struct.error, IndexError, ValueError):
            raise _damaged(file, capture) from None
        start = source.take(4)


def _interface(order: str, body: bytes, number: int) -> _Interface:
    link, snap = struct.unpack_from(order + "HxxI", body)
    options = dict(_options(order, body[8:]))
    resolution = options.get(TSRESOL, b"\x06")[0]
    per_second = 2 ** (resolution & 0x7F) if resolution & 0x80 else 10**resolution
    offset = struct.unpack(order + "q", options[TSOFFSET][:8])[0] if TSOFFSET in options else 0
    return _Interface(link, number, per_second, offset, snap)


def _options(order: str, data: bytes) -> Iterator[tuple[int, bytes]]:
    place = 0
    while place + 4 <= len(data):
        code, length = struct.unpack_from(order + "HH", data, place)
        if code == 0:
            return
        yield code, data[place + 4 : place + 4 + length]
        place += 4 + (length + 3) // 4 * 4


def _packet(order: str, kind: int, body: bytes, interfaces: list[_Interface]) -> Frame:
    form = "IIIII" if kind == ENHANCED_PACKET else "HxxIIII"
    which, high, low, kept, length = struct.unpack_from(order + form, body)
    interface = interfaces[which]
    if 20 + kept > len(body):
        raise ValueError(kept)
    data = body[20 : 20 + kept]
    return Frame(
        interface.time_ns(high << 32 | low), interface.link, interface.number, data, max(length, kept)
    )
