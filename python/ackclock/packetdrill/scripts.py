"""Scripts of packetdrill and what they have shown."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ackclock import _native
from ackclock.errors import InputError

__all__ = [
    "FAILED",
    "NOT_RUNNABLE",
    "PASSED",
    "Outcome",
    "check_keys",
    "find",
    "run_by_program",
    "run_script",
]

PASSED, FAILED, NOT_RUNNABLE = "passed", "failed", "not runnable"

ENDING = ".pkt"

TOLERANCE_US = 4000
"""How far an event may be from its time where neither script nor caller says another: packetdrill's own."""

LARGEST_SCRIPT = 1_000_000
"""Bytes; scripts have some thousands."""


@dataclass(frozen=True)
class Outcome:
    """The verdict on a script."""

    script: str
    """Its file."""
    verdict: str
    """`passed`, `failed` or `not runnable`."""
    line: int = 0
    """The line, from one, of what came otherwise than expected, or is not run; 0 for neither."""
    expected: str = ""
    """The text that the script expects there."""
    seen: str = ""
    """The text that was seen instead."""
    reason: str = ""
    """Why the script is not run."""
    context: tuple[str, ...] = ()
    """The events around a failure, with their times in seconds."""
    wall_s: float = 0.0
    """The time that the run took."""


def find(paths: Sequence[Path]) -> list[Path]:
    """The scripts of files and folders, those of folders in the order of their names.

    Raises `InputError` where there is no such file or folder, or no script in it.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(path.rglob(f"*{ENDING}"))
            if not inside:
                raise InputError(f"{path}: no file in it ends in {ENDING}")
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            raise InputError(f"{path}: there is no such file or folder")
    return found


def check_keys(tcp: Mapping[str, object]) -> None:
    """Raises `InputError` for keys of `[tcp]` with which no script runs."""
    shortest = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n"
    verdict, _, reason, *_ = _native.run_packetdrill(
        shortest, json.dumps(dict(tcp)), TOLERANCE_US, lambda _name: None
    )
    if verdict == NOT_RUNNABLE:
        raise InputError(reason)


def run_script(
    path: Path, tcp: Mapping[str, object] | None = None, *, tolerance_us: int = TOLERANCE_US
) -> Outcome:
    """Runs a script in virtual time.

    `tcp` are keys of `[tcp]`, of which `system` names the settings of a system; `{"system": "linux"}` if left
    out. They count more than what the script sets. `tolerance_us` is in microseconds. Files that the script
    names are read from its own folder on, and nothing is executed.

    Raises `InputError` where the file cannot be read as text, or holds nothing.
    """
    text = _script(path)
    keys = {"system": "linux"} if tcp is None else dict(tcp)

    def read(name: str) -> str | None:
        file = path.parent / name
        return _text(file) if file.is_file() else None

    began_s = time.monotonic()
    answer = _native.run_packetdrill(text, json.dumps(keys), tolerance_us, read)
    verdict, line, expected, seen, context = answer
    wall_s = time.monotonic() - began_s
    if verdict == NOT_RUNNABLE:
        return Outcome(str(path), verdict, line, reason=expected, wall_s=wall_s)
    return Outcome(str(path), verdict, line, expected, seen, context=tuple(context), wall_s=wall_s)


def run_by_program(path: Path, program: str, *, timeout_s: float = 60.0) -> Outcome:
    """Runs a script on the kernel of this machine, by a packetdrill that was built for it.

    Raises `InputError` where there is no such program, or the file holds no script.
    """
    found = shutil.which(program)
    if found is None:
        raise InputError(f"{program}: there is no such program; packetdrill is built from its own sources")
    _script(path)
    began_s = time.monotonic()
    try:
        done = subprocess.run(
            [found, path.name],
            cwd=path.parent,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome(str(path), FAILED, seen=f"no end within {timeout_s:g} s", wall_s=timeout_s)
    verdict = PASSED if done.returncode == 0 else FAILED
    seen = "" if verdict == PASSED else (done.stderr or done.stdout).strip()
    return Outcome(str(path), verdict, seen=seen, wall_s=time.monotonic() - began_s)


COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|^#![^\n]*|--\w+[^\n]*", re.DOTALL)
"""The parts of a script that do nothing: comments, the interpreter of its first line, options."""


def _script(path: Path) -> str:
    """The text of a script. Raises `InputError` where nothing happens in it, which no run could fail."""
    text = _text(path)
    if not COMMENT.sub("", text).strip():
        raise InputError(f"{path}: holds no event, so that nothing would be tested")
    return text


def _text(path: Path) -> str:
    if path.stat().st_size > LARGEST_SCRIPT:
        raise InputError(f"{path}: more than {LARGEST_SCRIPT} bytes, which is no script")
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as text: {error}") from error
