"""The tables of one run, from the binding's buffers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

__all__ = ["Tables", "frame"]

_BUFFERS = {"f8": "<f8", "u8": "<u8", "u4": "<u4", "b1": "?"}


Columns = Sequence[tuple[str, str, bytes | list[str]]]
"""A table of the binding: a name, a type and the data of each column."""


def frame(columns: Columns) -> pl.DataFrame:
    """A data frame over the binding's columns, without a copy of numbers."""
    series = []
    for name, kind, data in columns:
        if isinstance(data, list):
            series.append(pl.Series(name, data, dtype=pl.String))
        else:
            series.append(pl.Series(name, np.frombuffer(data, dtype=_BUFFERS[kind])))
    return pl.DataFrame(series)


class Tables(Mapping[str, pl.DataFrame]):
    """A run's tables, each converted to a data frame on first access; most are never accessed."""

    def __init__(self, columns: Mapping[str, Columns]) -> None:
        self._columns = columns
        self._frames: dict[str, pl.DataFrame] = {}

    def __getitem__(self, name: str) -> pl.DataFrame:
        if name not in self._frames:
            self._frames[name] = frame(self._columns[name])
        return self._frames[name]

    def columns(self, name: str) -> dict[str, np.ndarray | list[str]]:
        """The columns of a table without a data frame: arrays of numbers, lists of texts."""
        return {
            column: data if isinstance(data, list) else np.frombuffer(data, dtype=_BUFFERS[kind])
            for column, kind, data in self._columns[name]
        }

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)
