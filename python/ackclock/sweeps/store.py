"""A store of finished runs that is appended to while a sweep goes on, so that nothing is run twice.

Each table is a folder of Parquet files, `store/<table>/<random name>.parquet`, every one of them whole: it is
written beside its place and then renamed. A row belongs to the run whose key it carries; the key is the hash
of everything the run depends on.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from ackclock._native import Scenario
from ackclock.errors import OutputError
from ackclock.provenance import scenario_hash, version

__all__ = ["RUNS", "Store", "run_key"]

RUNS = "runs"
"""The table with one row per run; a run is finished once its row is there."""

KEY = "run"
"""The column that says which run a row belongs to."""

MANY = 200
"""With more files of one table than this, they are merged when the store is opened."""


def run_key(scenario: Scenario, label: str, extra: str = "") -> str:
    """What identifies a run: its scenario with the seed, its label, what is measured, and the version."""
    said = "\n".join((version(), label, extra, scenario_hash(scenario)))
    return hashlib.sha256(said.encode()).hexdigest()[:32]


class Store:
    """Finished runs in a folder. Several processes may append to one store. Raises OutputError."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            (folder / RUNS).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{folder}: cannot write results here: {error.strerror}") from None

    def keys(self) -> set[str]:
        """The runs that are finished."""
        table = self.read(RUNS)
        return set(table[KEY].to_list()) if table is not None else set()

    def read(self, name: str) -> pl.DataFrame | None:
        """All rows of a table; a run that two processes finished both has its rows once. None without any."""
        files = sorted((self.folder / name).glob("*.parquet"))
        if not files:
            return None
        parts = [pl.read_parquet(file) for file in files]
        seen: set[str] = set()
        kept = []
        for part in parts:
            kept.append(part.filter(~pl.col(KEY).is_in(list(seen))) if seen else part)
            seen.update(part[KEY].unique().to_list())
        return pl.concat(kept, how="diagonal")

    def append(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """Adds the rows of one or more runs; those of `runs` last: they say that the others are there."""
        for name in sorted(tables, key=lambda name: name == RUNS):
            self._write(name, tables[name])

    def tidy(self) -> None:
        """Merges the files of a table that has many."""
        for folder in sorted(path for path in self.folder.iterdir() if path.is_dir()):
            files = sorted(folder.glob("*.parquet"))
            if len(files) <= MANY:
                continue
            merged = self.read(folder.name)
            if merged is not None:
                self._write(folder.name, merged)
                for file in files:
                    file.unlink()

    def _write(self, name: str, table: pl.DataFrame) -> None:
        folder = self.folder / name
        target = folder / f"{secrets.token_hex(8)}.parquet"
        partial = target.with_suffix(".partial")
        try:
            folder.mkdir(exist_ok=True)
            table.write_parquet(partial, compression="zstd", compression_level=3)
            partial.rename(target)
        except OSError as error:
            raise OutputError(f"{folder}: cannot write results here: {error.strerror}") from None
