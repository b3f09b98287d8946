"""The folders that commands put their results in: their names, and those that are another command's."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

from ackclock.errors import OutputError
from ackclock.provenance import command_line

__all__ = ["PAPERS", "RESULTS", "STORE", "command_of", "named", "readable", "resumable", "unused"]

RESULTS = Path("results")
"""The folder of all results, in the working directory."""

PAPERS = RESULTS / "papers"
"""The folder of papers' verdicts."""

STORE = "store"
"""The folder of finished runs in a folder that the same command adds to."""


def named(text: str, what: str, otherwise: str) -> Path:
    """The folder `<text>-<what>`, in letters that every file system takes; `otherwise` if none is left."""
    safe = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in text)
    return RESULTS / f"{safe.strip('.') or otherwise}-{what}"


def unused(folder: Path) -> Path:
    """The folder, with a number where it holds the results of another command, which are kept."""
    for number in itertools.count(2):
        if command_of(folder) in (None, command_line()):
            return folder
        stem = folder.name if number == 2 else folder.name.rpartition("-")[0]
        folder = folder.with_name(f"{stem}-{number}")
    raise AssertionError


def command_of(folder: Path) -> str | None:
    """The command that wrote a results folder; none if it is no results folder."""
    try:
        document = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
        return str(document["making"]["command"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def resumable(folder: Path, kind: str) -> Path:
    """The absolute path of a folder that is new, empty, or has a store. Raises OutputError for another."""
    place = folder.absolute()
    if place.is_dir() and any(place.iterdir()) and not (place / STORE).is_dir():
        raise OutputError(f"{place}: this folder holds files that are no {kind}; name another with --output")
    return place


def readable(path: Path) -> str:
    """The path, relative to the working directory if it is in it."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
