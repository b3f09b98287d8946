"""A store of finished runs, to which a sweep appends while it runs, so that no run is repeated.

Runs that finish together make one file, `store/<SHA-256 of its contents>.runs.zip`, which holds a Parquet
table of their metrics and one for each table that the plan keeps. A run is in the store with all of its rows
or not at all. A row belongs to the run whose key it carries; the key is the hash of everything the run
depends on.
"""

from __future__ import annotations

import hashlib
import io
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import polars as pl

from ackclock import atomic
from ackclock._native import Scenario
from ackclock.errors import InputError, OutputError
from ackclock.provenance import scenario_hash
from ackclock.results_folder import parsed_table
from ackclock.sweeps import identity

__all__ = ["RUNS", "Store", "is_distinct", "places_of", "run_key"]

RUNS = "runs"
"""The table with one row per run."""

KEY = "run"
"""The column with the key of the run to which a row belongs."""

ENDING = ".runs.zip"

DAMAGED = "damaged"
"""The folder of the store for files whose contents have changed since they were written."""

MANY = 200
"""With more files than this, they are merged when the store is opened."""


def run_key(scenario: Scenario, label: str, extra: str = "") -> str:
    """The identity of a run: its scenario with the seed, its label, its measures, and this build."""
    said = "\n".join((identity.of_build(), label, extra, scenario_hash(scenario)))
    return hashlib.sha256(said.encode()).hexdigest()[:32]


class Store:
    """Finished runs in a folder. Raises OutputError.

    Several processes may use one store: each step is done under a lock on the folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with self._locked(make=True):
            # Nobody else holds the lock: the writer of what is left died.
            for left in folder.glob(f".{'[0-9a-f]' * 8}{atomic.PARTIAL}"):
                left.unlink(missing_ok=True)

    @classmethod
    def existing(cls, folder: Path) -> Store:
        """The store in a folder. Raises InputError for a folder without one."""
        if not any(folder.glob(f"*{ENDING}")):
            raise InputError(f"{folder}: this folder holds no runs of a sweep")
        return cls(folder)

    def adopt(self, other: Store) -> None:
        """Adds the runs of another store."""
        with other._locked():
            found = dict(other._intact())
        with self._locked(make=True):
            for file, data in found.items():
                atomic.write_file(self.folder / file.name, data)

    def keys(self) -> set[str]:
        """The runs that are finished."""
        return set(self.finished())

    def finished(self) -> pl.Series:
        """The runs that are finished, as a column; a run may be there more than once."""
        with self._locked():
            parts = [part[KEY] for part in _parts(self._intact(), RUNS, pl.col(KEY))]
        return pl.concat(parts) if parts else pl.Series(KEY, [], pl.String)

    def read(self, name: str) -> pl.DataFrame | None:
        """All rows of a table; the rows of each run appear once. None without rows."""
        with self._locked():
            return _table(self._intact(), name)

    def rows_of(self, name: str, keys: pl.Series) -> tuple[pl.Series, pl.DataFrame] | None:
        """The rows of some runs in a table, in the order of the runs: the place of each run, and the row.

        None without rows. Keys are read before all else, and of the rest one column after the other is put in
        order: of a million runs all at once would take twice the room.
        """
        with self._locked():
            theirs = [part[KEY] for part in _parts(self._intact(), name, pl.col(KEY))]
            if not theirs:
                return None
            if name == RUNS and is_distinct(pl.concat(theirs)):
                places, found = places_of(keys, pl.concat(theirs))
                del theirs
                rows = pl.concat(list(_parts(self._intact(), name, pl.exclude(KEY))), how="diagonal")
            else:
                rows = cast("pl.DataFrame", _table(self._intact(), name))
                places, found = places_of(keys, rows[KEY])
                rows.drop_in_place(KEY)
        columns = [rows.drop_in_place(name).gather(found) for name in rows.columns]
        return places, pl.DataFrame(columns)

    def append(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """Adds the rows of one or more runs."""
        with self._locked(make=True):
            self._write(tables)

    def tidy(self) -> None:
        """Merges the files if there are many."""
        with self._locked():
            if len(self._files()) <= MANY:
                return
            whole = dict(self._intact())
            names = {name for data in whole.values() for name in _names(data)}
            items = list(whole.items())
            merged = {name: _table(items, name) for name in names}
            kept = self._write({name: table for name, table in merged.items() if table is not None})
            for file in whole.keys() - {kept}:
                file.unlink()

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob(f"{'[0-9a-f]' * 64}{ENDING}"))

    def _intact(self) -> Iterator[tuple[Path, bytes]]:
        """The files whose contents match the checksum in their names; others are set aside."""
        for file in self._files():
            data = file.read_bytes()
            if hashlib.sha256(data).hexdigest() == file.name.removesuffix(ENDING):
                yield file, data
                continue
            place = self.folder / DAMAGED
            place.mkdir(exist_ok=True)
            file.rename(place / file.name)
            warnings.warn(
                f"{file}: damaged, its contents are not what was written; set aside in {place}, "
                "and its runs are run again",
                stacklevel=2,
            )

    def _write(self, tables: Mapping[str, pl.DataFrame]) -> Path:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name in sorted(tables):
                buffer = io.BytesIO()
                tables[name].write_parquet(buffer, compression="zstd", compression_level=3)
                archive.writestr(zipfile.ZipInfo(f"{name}.parquet"), buffer.getvalue())
        data = packed.getvalue()
        file = self.folder / f"{hashlib.sha256(data).hexdigest()}{ENDING}"
        atomic.write_file(file, data)
        return file

    @contextmanager
    def _locked(self, *, make: bool = False) -> Iterator[None]:
        try:
            if make:
                self.folder.mkdir(parents=True, exist_ok=True)
            with atomic.locked(self.folder):
                yield
        except OutputError:
            raise
        except OSError as error:
            raise OutputError(f"{self.folder}: cannot read or write results here: {error.strerror}") from None


def _names(data: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [name.removesuffix(".parquet") for name in archive.namelist()]


def is_distinct(keys: pl.Series) -> bool:
    """True if no key is there twice; false, by a rare chance, also if none is.

    Hashes take an eighth of the room of keys.
    """
    hashes = keys.hash()
    return hashes.n_unique() == len(hashes)


def places_of(ours: pl.Series, theirs: pl.Series) -> tuple[pl.Series, pl.Series]:
    """The places of our keys that are among theirs, and of each its places there, in order."""
    if is_distinct(theirs) and len(theirs):
        hashes = theirs.hash()
        order = hashes.arg_sort()
        near = hashes.gather(order).search_sorted(ours.hash())
        near = order.gather(near.clip(upper_bound=len(order) - 1))
        is_there = theirs.gather(near) == ours
        return is_there.arg_true(), near.filter(is_there)
    joined = (
        pl.DataFrame({KEY: ours})
        .with_row_index("place")
        .join(pl.DataFrame({KEY: theirs}).with_row_index("found"), on=KEY, maintain_order="left_right")
    )
    return joined["place"], joined["found"]


def _parts(
    files: Iterable[tuple[Path, bytes]], name: str, columns: pl.Expr | None = None
) -> Iterator[pl.DataFrame]:
    """The rows of one table, or some of its columns, file by file."""
    for file, data in files:
        if name in _names(data):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                packed = archive.read(f"{name}.parquet")
            yield parsed_table(packed, f"{file}, {name}.parquet", columns)


def _table(files: Iterable[tuple[Path, bytes]], name: str) -> pl.DataFrame | None:
    """The rows of one table; the rows of each run come from the first file that has them."""
    parts = list(_parts(files, name))
    if not parts:
        return None
    if not is_distinct(pl.concat([part[KEY].unique() for part in parts])):
        keys = pl.concat([part.select(pl.col(KEY).unique(), file=place) for place, part in enumerate(parts)])
        own = keys.unique(KEY, keep="first", maintain_order=True).partition_by("file", as_dict=True)
        parts = [
            part.filter(pl.col(KEY).is_in(own[(place,)][KEY].implode()))
            for place, part in enumerate(parts)
            if (place,) in own
        ]
    return pl.concat(parts, how="diagonal")
