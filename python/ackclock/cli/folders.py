"""The folders of the commands' results: their names, and how one that another command wrote is recognised."""

from __future__ import annotations

import itertools
import json
import shlex
import sys
from glob import escape
from pathlib import Path

from ackclock.errors import OutputError
from ackclock.provenance import command_line
from ackclock.results_folder import PROVENANCE

__all__ = [
    "PAPERS",
    "RESULTS",
    "STORE",
    "command_of",
    "is_unfinished",
    "listed",
    "meaning_of",
    "named",
    "readable",
    "resumable",
    "tell_replaced",
    "unused",
]

RESULTS = Path("results")
"""The folder of all results, in the working directory."""

PAPERS = RESULTS / "papers"
"""The folder of papers' verdicts."""

SUBJECTS = ("scenario", "plan", "paper", "label", "algorithm")
"""The keys under which provenance names the subject of results."""

STORE = "store"
"""The folder of finished runs in a folder that the same command adds to."""

NEUTRAL = {
    "--open": False, "--json": False, "--workers": True, "--figure-format": True, "--width": True,
    "--link": True, "--fail-if": True, "--baseline": True, "--tolerance": True,
}  # fmt: skip
"""Options that change no result, and True for those with a value."""


def named(text: str, what: str, otherwise: str) -> Path:
    """The folder `<text>-<what>`, in letters that every file system takes.

    `otherwise` if no letter is left.
    """
    safe = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in text)
    return RESULTS / f"{safe.strip('.') or otherwise}-{what}"


def unused(folder: Path) -> Path:
    """The folder, or one with a number added: that of this command's results, else one without results.

    Results of another command are kept. A command that differs from this one only in options that change no
    result, as `--open`, or in their order, is this one.
    """
    this = meaning_of(command_line())
    taken = [folder, *sorted(folder.parent.glob(f"{escape(folder.name)}-[0-9]*"))]
    for each in taken:
        if (command := command_of(each)) is not None and meaning_of(command) == this:
            return each
    numbered = (folder.with_name(f"{folder.name}-{number}") for number in itertools.count(2))
    return next(each for each in itertools.chain([folder], numbered) if command_of(each) is None)


def meaning_of(command: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of a command that say what it computes: arguments in their order, and options in any.

    Which other options take a value is not known here: a word after an option belongs to it, so that the same
    command with its arguments elsewhere may be taken for another.
    """
    try:
        words = shlex.split(command)
    except ValueError:
        return (command,), ()
    arguments: list[str] = []
    options: list[str] = []
    waiting = iter(words)
    for word in waiting:
        name, has_value, _ = word.partition("=")
        if name in NEUTRAL:
            if NEUTRAL[name] and not has_value:
                next(waiting, None)
        elif word.startswith("-") and len(word) > 1:
            options.append(word)
        elif options and options[-1].startswith("-") and " " not in options[-1]:
            options[-1] += f" {word}"
        else:
            arguments.append(word)
    return tuple(arguments), tuple(sorted(options))


def listed(place: Path) -> list[dict[str, object]]:
    """The results in a folder and the folders below it, with their kind, subject, command and date."""
    found = []
    for file in sorted(place.rglob(PROVENANCE)):
        try:
            document = json.loads(file.read_text(encoding="utf-8"))
            result, making = document["result"], document["making"]
            of = next((result[key] for key in SUBJECTS if key in result), "")
            found.append(
                {
                    "folder": readable(file.parent.absolute()),
                    "what": result["what"],
                    "of": of,
                    "algorithms": ", ".join(map(str, result.get("algorithms", []))),
                    "seeds": len(result.get("seeds", [])) or "",
                    "date": str(making["date"]).replace("+00:00", "Z"),
                    "command": making["command"],
                }
            )
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue  # a file of this name that Ackclock did not write
    return found


def command_of(folder: Path) -> str | None:
    """The command that wrote a results folder; None for another folder."""
    return _provenance(folder, "making", "command")


def is_unfinished(folder: Path, build: str) -> bool:
    """True for results of this command, made by this build, that an interruption cut short."""
    command = command_of(folder)
    is_same = command is not None and meaning_of(command) == meaning_of(command_line())
    return is_same and _provenance(folder, "making", "build") == build


def _provenance(folder: Path, part: str, key: str) -> str | None:
    """A value of a folder's provenance; None for a folder without it."""
    try:
        return str(json.loads((folder / PROVENANCE).read_text(encoding="utf-8"))[part][key])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def resumable(folder: Path, kind: str) -> Path:
    """The absolute path of a folder that is new, of this kind or has only a store. Raises OutputError."""
    place = folder.absolute()
    is_used = place.is_dir() and any(place.iterdir())
    what = _provenance(place, "result", "what")
    if is_used and what != kind and (what is not None or not (place / STORE).is_dir()):
        raise OutputError(f"{place}: this folder holds files that are no {kind}; name another with --output")
    tell_replaced(place, command_of(place), "holds the results of another command, which these will replace")
    return place


def tell_replaced(
    place: Path, command: str | None, what: str = "held the results of another command, which are replaced"
) -> None:
    """Says on standard error that a folder has the results of `command`, unless it is this one."""
    if command is not None and meaning_of(command) != meaning_of(command_line()):
        print(f"ackclock: {readable(place.absolute())} {what}: {command}", file=sys.stderr)


def readable(path: Path) -> str:
    """The path, relative to the working directory if it is in it."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
