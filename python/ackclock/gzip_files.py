"""Files that gzip may have compressed, whose contents are bounded: a small file can unpack to any size."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path

from ackclock.errors import InputError, unreadable

__all__ = ["GZIP", "LARGEST_BYTES", "bounded", "unpacked"]

GZIP = b"\x1f\x8b"
"""The beginning of a file that gzip has compressed."""

LARGEST_BYTES = 100_000_000
"""The most that is read of a log: its events take ten times as much memory."""


def bounded(path: Path, larger: str) -> bytes:
    """The bytes of a file. Raises InputError, with the words `larger` for more than `LARGEST_BYTES`."""
    try:
        with path.open("rb") as opened:
            data = opened.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise unreadable(path, error) from None
    if len(data) > LARGEST_BYTES:
        raise InputError(f"{path}: {larger}")
    return data


def unpacked(data: bytes) -> bytes:
    """The contents, unpacked if gzip has compressed them.

    Raises ValueError for what gzip cannot unpack, and for more than `LARGEST_BYTES`.
    """
    if data.startswith(GZIP):
        try:
            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(LARGEST_BYTES + 1)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ValueError(f"gzip cannot unpack it: {error}") from None
    if len(data) > LARGEST_BYTES:
        raise ValueError(f"more than {LARGEST_BYTES} bytes, which is more than is read of a log")
    return data
