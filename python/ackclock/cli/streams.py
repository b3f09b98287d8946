"""Standard output and input: characters that an encoding lacks, a full disk, a scenario from a pipe."""

from __future__ import annotations

import codecs
import os
import sys
from contextlib import suppress

from ackclock.report.text import in_ascii

__all__ = ["flush", "let_go", "make_readable"]


def _readable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    found = error.object[error.start : error.end]
    return in_ascii(found), error.end


def make_readable() -> None:
    """Lets the standard streams write every text, under `LC_ALL=C` and in code pages such as cp1252."""
    codecs.register_error("readable", _readable)
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):
            stream.reconfigure(errors="readable")  # type: ignore[union-attr]


def flush() -> None:
    """Flushes standard output, so that OSError for a full disk is raised here and not at exit."""
    if sys.stdout is not None and not sys.stdout.closed:
        sys.stdout.flush()


def let_go() -> None:
    """Gives up standard output, so that Python does not fail at it again at exit."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
