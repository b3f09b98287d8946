"""Provenance of results: everything needed to produce them again, and the machine that produced them."""

from __future__ import annotations

import datetime as dt
import functools
import hashlib
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ackclock import _native
from ackclock._native import Scenario

__all__ = [
    "command_line",
    "described_version",
    "document",
    "git_commit",
    "host",
    "now",
    "provenance",
    "scenario_facts",
    "scenario_hash",
    "version",
]

PROGRAM = "ackclock"


def version() -> str:
    """The version of Ackclock."""
    return _native.__version__


def described_version(commit: str | None) -> str:
    """The version and the first digits of the commit, if there is one, for display."""
    return version() + (f", commit {commit[:12]}" if commit else "")


def command_line() -> str:
    """The command that runs now, as typed in a shell."""
    started = getattr(sys.modules["__main__"], "__spec__", None)
    module = started.name.removesuffix(".__main__") if started else PROGRAM
    if module != PROGRAM:
        return shlex.join(["python", "-m", module, *sys.argv[1:]])
    name = Path(sys.argv[0]).name if sys.argv and sys.argv[0] else "python"
    return shlex.join([PROGRAM if name == "__main__.py" else name, *sys.argv[1:]])


@functools.cache
def git_commit() -> str | None:
    """The commit of the checkout that this package runs from, "+changes" added if it was edited.

    None for an installed package.
    """
    checkout = Path(__file__).resolve().parents[2]
    if not (checkout / ".git").exists():
        return None

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(checkout), *arguments], capture_output=True, text=True, timeout=5, check=True
        )
        return done.stdout.strip()

    try:
        commit = git("rev-parse", "HEAD")
        return commit + ("+changes" if git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return None


def host() -> dict[str, object]:
    """This machine's system, processors, and library versions. Tables never depend on them."""
    from importlib import metadata  # noqa: PLC0415 - help appears at once

    libraries = {}
    for name in ("numpy", "polars", "scipy", "matplotlib", "bokeh"):
        try:
            libraries[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {
        "system": platform.platform(),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "libraries": libraries,
    }


def scenario_hash(scenario: Scenario) -> str:
    """SHA-256 of the scenario as `to_toml` has it, as hexadecimal digits."""
    return hashlib.sha256(scenario.to_toml().encode()).hexdigest()


def scenario_facts(scenario: Scenario) -> dict[str, str]:
    """The facts about a scenario by which its tables identify it."""
    return {"scenario": scenario.name, "scenario_sha256": scenario_hash(scenario), "version": version()}


def provenance(
    what: str,
    scenario: Scenario,
    seeds: tuple[int, ...],
    labels: tuple[str, ...],
    classes: Mapping[str, object] | None = None,
    competitors: Mapping[str, Sequence[str]] | None = None,
    **costs: object,
) -> dict[str, object]:
    """The contents of provenance.json for runs of one scenario; `costs` as in `document`.

    `classes` has the hashes of the source of Python classes, by name. `competitors` has, for runs that all
    labels share, the names of each label's groups of flows.
    """
    result = {
        "what": what,
        "scenario": scenario.name,
        "scenario_sha256": scenario_hash(scenario),
        "algorithms": list(labels),
        "seeds": list(seeds),
        **({"classes": classes} if classes else {}),
        **({"competitors": dict(competitors)} if competitors else {}),
    }
    return document(result, **costs)


def document(result: Mapping[str, object], **costs: object) -> dict[str, object]:
    """The contents of provenance.json.

    `result` holds everything on which the tables depend; `making` holds the command, the date, the machine
    and the `costs` (wall-clock and processor seconds).
    """
    return {
        "schema": "ackclock-provenance/1",
        "program": PROGRAM,
        "result": {"version": version(), **result},
        "making": {
            "command": command_line(),
            "commit": git_commit(),
            "date": now(),
            "host": host(),
            **costs,
        },
    }


def now() -> str:
    """The date and time, in UTC, to the second."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
