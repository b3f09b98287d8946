"""Results folders that are either complete or absent, and that remove none of the user's files.

Files are written into a hidden folder next to the target and moved into place together. `SHA256SUMS` lists
them, in the format of `sha256sum --check`. The listed files are Ackclock's own and may be replaced; other
files may not.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import secrets
import shutil
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path, PurePosixPath
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING

from ackclock import atomic
from ackclock.columns import TABLES, UNKNOWN, TableKind
from ackclock.errors import InputError, OutputError, unreadable
from ackclock.own_files import refuse_foreign
from ackclock.provenance import PROGRAM

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "PROVENANCE",
    "SUMS",
    "ResultsFolder",
    "check_unchanged",
    "listed",
    "parsed_table",
    "read_file",
    "read_table",
]

PROVENANCE = "provenance.json"
SUMS = "SHA256SUMS"


class ResultsFolder:
    """A folder being written; `with ResultsFolder(path, whats) as folder: ...; folder.commit()`.

    Opening it makes an empty sibling of the target, which proves before a long run that the result can be
    written. It also removes the siblings of processes that died. Without `commit()`, leaving the block
    removes every trace. `whats` are the kinds of result that it may replace, named as in their provenance; a
    folder with other contents is refused. Raises OutputError.

    With `shared`, the folder holds more than these results (a sweep's store): its files are replaced one by
    one, and files that are no longer written are removed. With `adds`, the results exist already, and
    `commit` adds to them.
    """

    def __init__(
        self,
        target: str | os.PathLike[str],
        whats: Collection[str],
        *,
        shared: bool = False,
        adds: bool = False,
    ) -> None:
        named = Path(target)
        if named.is_symlink() and not named.exists():
            raise OutputError(f"{named}: cannot write results here: there is a file of this name")
        self.target = named.resolve()
        self._whats = whats
        self._shared = shared
        self._made: list[Path] = []
        self._sums: dict[str, str] = {}
        self._committed = adds
        self._in_place: atomic.Lock | None = None
        with self._explained():
            self._recover()
        self._refuse_foreign()
        try:
            self._make_parents()
            self._open_partial()
        except OSError as error:
            self._remove_parents()
            raise OutputError(f"{self.target}: cannot write results here: {error.strerror}") from None

    def _open_partial(self) -> None:
        """Makes the hidden folder, locked as long as this process lives."""
        while True:
            self.path = self.target.with_name(f".{self.target.name}.{secrets.token_hex(4)}{atomic.PARTIAL}")
            """The folder of the files until `commit`."""
            self.path.mkdir()
            lock = atomic.try_lock(self.path)
            if lock is not None and lock.is_on(self.path):
                self._lock = lock
                return
            if lock is not None:  # another process took it for a dead one's
                lock.release()

    def _recover(self) -> None:
        """Removes the leftovers of dead processes.

        A complete result that they did not put in place is put there.
        """
        name = escape(self.target.name)
        for ending in (atomic.PARTIAL, atomic.OLD):
            for left in sorted(self.target.parent.glob(f".{name}.{'[0-9a-f]' * 8}{ending}")):
                lock = atomic.try_lock(left)
                if lock is None:
                    continue
                try:
                    if (left / SUMS).is_file() and (left / PROVENANCE).is_file() and not self.target.exists():
                        left.rename(self.target)
                    else:
                        self._discard(left)
                finally:
                    lock.release()

    def _refuse_foreign(self) -> None:
        if not self.target.is_dir():
            if self.target.exists():
                raise OutputError(f"{self.target}: cannot write results here: there is a file of this name")
            return
        if self._shared or not any(self.target.iterdir()):
            self._refuse_changed()
            return
        what = _what(self.target / PROVENANCE)
        if what is None:
            raise OutputError(
                f"{self.target}: this folder holds files that Ackclock did not write; "
                "name another with --output, or empty it"
            )
        if what not in self._whats:
            raise OutputError(
                f"{self.target}: this folder holds files of another command ({what}), which would be lost; "
                "name another with --output"
            )
        strangers = _strangers(self.target)
        if strangers:
            more = f" and {len(strangers) - 3} more" if len(strangers) > 3 else ""
            raise OutputError(
                f"{self.target}: this folder holds files that this command did not write "
                f"({', '.join(strangers[:3])}{more}); name another with --output, or move them away"
            )
        self._refuse_changed()

    def _refuse_changed(self) -> None:
        """Refuses to replace a file of the results that somebody has changed."""
        sums = _sums(self.target)
        for name in _touched(self.target, sums):
            refuse_foreign(self.target / name, _is(sums[name]))

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

    def write_text(self, name: str, text: str) -> str:
        """Writes a text file, making the folders in its name; returns its SHA-256."""
        return self.write_bytes(name, text.encode())

    def write_bytes(self, name: str, data: bytes) -> str:
        """Writes a file, making the folders in its name; returns its SHA-256."""
        with self._new_file(name) as path:
            path.write_bytes(data)
        return self._sums[PurePosixPath(name.replace("\\", "/")).as_posix()]

    @contextmanager
    def _new_file(self, name: str) -> Iterator[Path]:
        """The place of a file that the block writes, in a folder that is there; notes its SHA-256."""
        parts = PurePosixPath(name.replace("\\", "/"))
        if parts.is_absolute() or ".." in parts.parts or not name.isprintable():
            raise InputError(f"{name!r} is no name for a file of a results folder: it leads out of it")
        path = self.path / name
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            yield path
            with path.open("rb") as file:
                os.fsync(file.fileno())
                self._sums[parts.as_posix()] = hashlib.file_digest(file, "sha256").hexdigest()

    def write_json(self, name: str, document: object) -> None:
        """Writes a document as indented JSON; NaN and infinities must be gone already."""
        self.write_text(name, json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")

    def write_table(
        self,
        name: str,
        table: pl.DataFrame,
        scenario: Mapping[str, str] = MappingProxyType({}),
        kind: TableKind | None = None,
    ) -> None:
        """Writes tables/<name>.parquet with units and meanings; equal tables give equal bytes.

        `scenario` has the facts about the scenario of the rows; `kind` describes a table that a run does not
        have.
        """
        from ackclock import parquet  # noqa: PLC0415 - not every command writes tables

        with self._new_file(f"tables/{name}.parquet") as path:
            parquet.write(path, name, table, kind or TABLES.get(name, UNKNOWN), scenario)

    def commit(self) -> Path:
        """Puts the written files in their place and returns the path.

        The next `commit` adds the files written after that; without one they are dropped.
        """
        with self._explained():
            if self._committed:
                self._add()
            elif not (self.path / PROVENANCE).is_file():
                raise RuntimeError(f"a results folder needs {PROVENANCE} before it is put in place")
            elif self._shared:
                self._replace_files()
            else:
                self._replace_folder()
            self._committed = True
            self._sums = {}
            self._open_partial()
        return self.target

    def _replace_folder(self) -> None:
        atomic.write_file(self.path / SUMS, _listing(self._sums))
        for folder, _, _ in os.walk(self.path):
            atomic.sync(Path(folder))
        replaced = atomic.put(self.path, self.target)
        self._in_place = self._lock
        if replaced is not None:
            self._discard(replaced)

    def _replace_files(self) -> None:
        self.target.mkdir(exist_ok=True)
        self._in_place = atomic.try_lock(self.target, wait=True)
        before = _sums(self.target)
        self._move_files(before)
        for name in before.keys() - self._sums.keys():
            _remove(self.target, name)
        atomic.write_file(self.target / SUMS, _listing(self._sums))
        self._lock.release()
        shutil.rmtree(self.path, ignore_errors=True)

    def _add(self) -> None:
        if self._in_place is not None and not self._in_place.is_on(self.target):
            raise OutputError(f"{self.target}: another process has replaced these results meanwhile")
        self._move_files(_sums(self.target))
        self._lock.release()
        shutil.rmtree(self.path, ignore_errors=True)

    def _move_files(self, before: Mapping[str, str]) -> None:
        """Replaces files of the target one by one. They are listed first: a crash leaves no unlisted one."""
        for name in self._sums:
            if name not in before and os.path.lexists(self.target / name):
                refuse_foreign(self.target / name, lambda _: False)
        atomic.write_file(self.target / SUMS, _listing({**before, **self._sums}))
        folders = {self.target}
        for name in sorted(self._sums, key=lambda name: name == PROVENANCE):
            place = self.target / name
            place.parent.mkdir(parents=True, exist_ok=True)
            folders.add(place.parent)
            (self.path / name).replace(place)
        for folder in sorted(folders):
            atomic.sync(folder)

    def _discard(self, folder: Path) -> None:
        """Removes replaced or unfinished results.

        Files that a user put there meanwhile are kept, and a warning names their place.
        """
        if not (folder / SUMS).is_file():
            shutil.rmtree(folder, ignore_errors=True)
            return
        sums = _sums(folder)
        changed = {
            name for name in _touched(folder, sums) if not _is(sums[name])((folder / name).read_bytes())
        }
        for name in sums.keys() - changed:
            _remove(folder, name)
        (folder / SUMS).unlink(missing_ok=True)
        with suppress(OSError):
            folder.rmdir()
        if folder.exists():
            kept = folder.with_name(f"{self.target.name}-{secrets.token_hex(4)}")
            folder.rename(kept)
            warnings.warn(
                f"files that Ackclock did not write were in a folder that it replaced; they are in {kept}",
                stacklevel=2,
            )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OutputError:
            raise
        except OSError as error:
            raise OutputError(f"{self.target}: cannot write results here: {error.strerror}") from None

    def __enter__(self) -> ResultsFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
        shutil.rmtree(self.path, ignore_errors=True)
        if self._in_place is not None:
            self._in_place.release()
        if not self._committed:
            self._remove_parents()


def listed(folder: Path) -> set[str]:
    """The names of the files that a results folder has, by its list."""
    return set(_sums(folder))


def read_file(folder: Path, name: str, *, trust: bool = False) -> bytes:
    """The contents of a file of a results folder, as they were written.

    With `trust`, contents that have changed since, and files without a checksum, are accepted too. Raises
    InputError.
    """
    path = folder / name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from None
    if trust:
        return data
    written = _sums(folder).get(name)
    if written is None:
        raise InputError(f"{path}: {folder / SUMS} has no checksum of this file, which may have been changed")
    if hashlib.sha256(data).hexdigest() != written:
        raise InputError(f"{path}: this file is not what was written: its SHA-256 is not that of {SUMS}")
    return data


def check_unchanged(path: Path, data: bytes) -> None:
    """Refuses the contents of a file that a results folder lists, if they are not what was written.

    A file outside such a folder, or one that its user put there, may say what it likes. Raises InputError.
    """
    place = path.absolute()
    for folder in place.parents:
        if (folder / SUMS).is_file() and (folder / PROVENANCE).is_file():
            written = _sums(folder).get(place.relative_to(folder).as_posix())
            if written not in (None, hashlib.sha256(data).hexdigest()):
                raise InputError(
                    f"{path}: this file of results is not what was written: its SHA-256 is not that of "
                    f"{folder / SUMS}; copy it out of the folder to use it, or trust it (--trust, or "
                    "trust=True in Python)"
                )
            return


def read_table(folder: Path, name: str, *, trust: bool = False) -> pl.DataFrame:
    """The table `tables/<name>.parquet` of a results folder, checked as by `read_file`. Raises InputError."""
    file = f"tables/{name}.parquet"
    return parsed_table(read_file(folder, file, trust=trust), folder / file)


def parsed_table(data: bytes, file: object, columns: pl.Expr | None = None) -> pl.DataFrame:
    """The table of a Parquet file's bytes, or some columns; `file` names it in errors. Raises InputError.

    The reader panics at some damages, which no `except Exception` holds.
    """
    import polars as pl  # noqa: PLC0415 - not every command reads tables

    try:
        if columns is None:
            return pl.read_parquet(io.BytesIO(data))
        return pl.scan_parquet(io.BytesIO(data)).select(columns).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        said = " ".join(str(error).split())[:200]
        raise InputError(f"{file}: this is no table that can be read: {said}") from None


def _what(provenance: Path) -> str | None:
    """The kind of result that a folder holds, by its provenance; None if Ackclock did not make it."""
    try:
        document = json.loads(provenance.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or document.get("program") != PROGRAM:
        return None
    result = document.get("result")
    return str(result.get("what")) if isinstance(result, dict) else None


def _listing(sums: Mapping[str, str]) -> bytes:
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items())).encode()


def _sums(folder: Path) -> dict[str, str]:
    """The files that a folder's list names as Ackclock's own, with their checksums."""
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return {}
    found = {name: digest for digest, mark, name in (line.partition("  ") for line in lines) if mark}
    return {
        name: digest
        for name, digest in found.items()
        if not PurePosixPath(name).is_absolute() and ".." not in PurePosixPath(name).parts
    }


def _touched(folder: Path, sums: Mapping[str, str]) -> list[str]:
    """The listed files that were written after the list, as by an editor."""
    try:
        listed = (folder / SUMS).stat().st_mtime_ns
    except OSError:
        return []
    found = []
    for name in sorted(sums):
        with suppress(OSError):  # somebody removed it
            if (folder / name).stat().st_mtime_ns >= listed:
                found.append(name)
    return found


def _is(digest: str) -> Callable[[bytes], bool]:
    """A function that is true of contents with this SHA-256."""
    return lambda data: hashlib.sha256(data).hexdigest() == digest


def _strangers(folder: Path) -> list[str]:
    """Files below a folder that its list lacks."""
    known = {*_sums(folder), SUMS}
    found = []
    for place, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        found += [(Path(place) / name).relative_to(folder).as_posix() for name in (*names, *links)]
    return sorted(set(found) - known)


def _remove(folder: Path, name: str) -> None:
    """Removes a file of a folder, and the folders that it leaves empty."""
    path = folder / name
    path.unlink(missing_ok=True)
    for parent in path.parents:
        if parent == folder:
            return
        try:
            parent.rmdir()
        except OSError:
            return
