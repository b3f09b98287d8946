"""Results folders that are either whole or not there.

Written beside their place, then put in it by renaming.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from ackclock.errors import OutputError
from ackclock.provenance import PROGRAM

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ResultsFolder"]

PROVENANCE = "provenance.json"


class ResultsFolder:
    """A folder being written; `with ResultsFolder(path) as folder: ...; folder.commit()`.

    Opening it makes an empty sibling of the target, which proves before a long run that the result can be
    written. Without `commit()`, leaving the block removes every trace. An existing folder is replaced only if
    it is empty or was made by Ackclock. Raises OutputError.
    """

    def __init__(self, target: str | os.PathLike[str]) -> None:
        self.target = Path(target).absolute()
        self._made: list[Path] = []
        self._committed = False
        self._refuse_foreign()
        sibling = self.target.with_name(f".{self.target.name}.{secrets.token_hex(4)}.partial")
        try:
            self._make_parents()
            sibling.mkdir()
        except OSError as error:
            self._remove_parents()
            raise OutputError(f"{self.target}: cannot write results here: {error.strerror}") from None
        self.path = sibling
        """Where files go until `commit`."""

    def _refuse_foreign(self) -> None:
        if self.target.is_dir():
            mark = self.target / PROVENANCE
            if any(self.target.iterdir()) and not _is_ours(mark):
                raise OutputError(
                    f"{self.target}: this folder holds files that Ackclock did not write; "
                    "name another with --output, or empty it"
                )
        elif self.target.exists() or self.target.is_symlink():
            raise OutputError(f"{self.target}: cannot write results here: there is a file of this name")

    def _make_parents(self) -> None:
        missing = []
        parent = self.target.parent
        while not parent.exists():
            missing.append(parent)
            parent = parent.parent
        for folder in reversed(missing):
            folder.mkdir()
            self._made.append(folder)

    def _remove_parents(self) -> None:
        for folder in reversed(self._made):
            try:
                folder.rmdir()
            except OSError:  # somebody else put something there meanwhile
                return

    def remove(self, name: str) -> None:
        """Takes back a file or folder written before, if it was."""
        path = self.path / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def write_text(self, name: str, text: str) -> None:
        """Writes a text file, making the folders in its name."""
        self.write_bytes(name, text.encode())

    def write_bytes(self, name: str, data: bytes) -> None:
        """Writes a file, making the folders in its name."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def write_json(self, name: str, document: object) -> None:
        """Writes a document as indented JSON; NaN and infinities must be gone already."""
        self.write_text(name, json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")

    def write_table(self, name: str, table: pl.DataFrame) -> None:
        """Writes tables/<name>.parquet; equal tables give equal bytes."""
        folder = self.path / "tables"
        folder.mkdir(exist_ok=True)
        table.write_parquet(folder / f"{name}.parquet", compression="zstd", compression_level=3)

    def commit(self) -> Path:
        """Puts the finished folder in its place and returns the path."""
        if not (self.path / PROVENANCE).is_file():
            raise RuntimeError("a results folder needs provenance.json before it is put in place")
        discarded = self.path.with_suffix(".old")
        try:
            if self.target.exists():
                self.target.rename(discarded)
            self.path.rename(self.target)
        except OSError as error:
            raise OutputError(f"{self.target}: cannot write results here: {error.strerror}") from None
        self._committed = True
        shutil.rmtree(discarded, ignore_errors=True)
        return self.target

    def __enter__(self) -> ResultsFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._committed:
            shutil.rmtree(self.path, ignore_errors=True)
            self._remove_parents()


def _is_ours(mark: Path) -> bool:
    try:
        document = json.loads(mark.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and document.get("program") == PROGRAM
