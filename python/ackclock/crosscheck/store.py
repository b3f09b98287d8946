"""Finished runs by the host's clock, in a file that each is added to, so that a repeated command goes on."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import platform
from collections.abc import Mapping
from pathlib import Path

from ackclock import atomic
from ackclock.crosscheck.cases import Case
from ackclock.crosscheck.measurement import Measurement
from ackclock.errors import OutputError
from ackclock.provenance import git_commit, version

__all__ = ["Runs"]

FILE = "runs.jsonl"


class Runs:
    """Measurements of this build and kernel, by stack, case and repeat. Those of others are not kept.

    Without a folder nothing is kept beyond the process. Raises OutputError.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._file = folder / FILE if folder else None
        self._made_by = {"version": version(), "commit": git_commit(), "kernel": platform.release()}
        self._lines: list[str] = []
        self._known: dict[str, Measurement] = {}
        if self._file and self._file.is_file():
            self._read(self._file)

    def find(self, stack: str, case: Case, repeat: int) -> Measurement | None:
        """A measurement that is there already."""
        return self._known.get(_key(_run(stack, case, repeat)))

    def add(self, stack: str, case: Case, repeat: int, measured: Measurement) -> None:
        """Keeps a measurement, also if this process ends."""
        run = _run(stack, case, repeat)
        self._known[_key(run)] = measured
        record = {"made_by": self._made_by, "run": run, "measured": dataclasses.asdict(measured)}
        self._lines.append(json.dumps({"sha256": _checksum(record), **record}))
        if self._file is None:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            atomic.write_file(self._file, "".join(f"{line}\n" for line in self._lines).encode())
        except OSError as error:
            raise OutputError(f"{self._file}: cannot be written: {error.strerror}") from None

    def _read(self, file: Path) -> None:
        try:
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                record = json.loads(line)
                if record.pop("sha256") != _checksum(record):
                    raise OutputError(
                        f"{file}, line {number}: this run is not what was written, by its SHA-256; "
                        "remove the line, and it is run again"
                    )
                if record["made_by"] == self._made_by:
                    self._known[_key(record["run"])] = Measurement(**record["measured"])
                    self._lines.append(line)
        except OutputError:
            raise
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise OutputError(f"{file}: no store of runs: {error}") from None


def _checksum(record: Mapping[str, object]) -> str:
    return hashlib.sha256(_key(record).encode()).hexdigest()


def _run(stack: str, case: Case, repeat: int) -> dict[str, object]:
    return {"stack": stack, "repeat": repeat, **dataclasses.asdict(case)}


def _key(run: Mapping[str, object]) -> str:
    return json.dumps(run, sort_keys=True)
