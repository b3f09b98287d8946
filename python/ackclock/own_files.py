"""Files that may be replaced: those that Ackclock wrote, and that nobody has changed since."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

from ackclock.errors import OutputError

__all__ = ["HOLE", "is_sealed", "refuse_foreign", "sealed"]

MARK = "SHA-256 of this file with zeros in its place: "
"""Before the checksum in a file, which tells the file from one that somebody else wrote or changed."""

HOLE = MARK + "0" * 64
"""The text in the place of a file's checksum before the file is sealed."""

SEAL = re.compile(MARK.encode() + rb"([0-9a-f]{64})")


def sealed(data: bytes) -> bytes:
    """The contents of a file with its checksum in place of `HOLE`."""
    return data.replace(HOLE.encode(), MARK.encode() + hashlib.sha256(data).hexdigest().encode(), 1)


def is_sealed(data: bytes) -> bool:
    """True if the contents of a file are what `sealed` made."""
    found = SEAL.search(data)
    if found is None:
        return False
    before = data[: found.start(1)] + b"0" * 64 + data[found.end(1) :]
    return hashlib.sha256(before).hexdigest().encode() == found[1]


def refuse_foreign(path: Path, is_own: Callable[[bytes], bool] = is_sealed) -> None:
    """Raises OutputError for a file that would be replaced and is not, by its contents, what was written.

    All that writes files of its own naming asks this, or is told by `ResultsFolder`, which asks it.
    """
    if not path.exists() and not path.is_symlink():
        return
    try:
        is_kept = not path.is_file() or not is_own(path.read_bytes())
    except OSError as error:
        raise OutputError(f"{path}: cannot be read: {error.strerror}") from None
    if is_kept:
        raise OutputError(
            f"{path}: this file is not what Ackclock wrote and would be replaced; name another place, or "
            "move it away"
        )
