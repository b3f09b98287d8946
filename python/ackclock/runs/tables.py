"""The tables of one run, from the binding's buffers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from ackclock.errors import InputError

__all__ = ["RECORDED_BY", "TABLES", "NotRecorded", "Tables", "frame"]

TABLES = (
    "flows",
    "links",
    "packets",
    "flow_series",
    "link_series",
    "network_series",
    "drops",
    "gauges",
    "flow_events",
    "transfers",
    "transfer_classes",
    "timeouts",
    "epochs",
    "silences",
    "users",
    "pages",
    "objects",
    "responses",
    "calls",
    "freezes",
    "films",
    "segments",
    "incidents",
)
"""Tables of a result, those that its scenario does not ask for included."""

_BY_INTERVAL = 'trace.interval = "100 ms", say, or run(.., series=True)'
_BY_TRANSFERS = "trace.transfers = true, as by default"

RECORDED_BY = {
    "packets": 'trace.packets = ["left->right"], say',
    "network_series": _BY_INTERVAL,
    "flow_series": f"{_BY_INTERVAL}, and no trace.flows = false",
    "link_series": f"{_BY_INTERVAL}, and no trace.links = false",
    "drops": f"{_BY_INTERVAL}, and no trace.flows = false",
    "gauges": f"{_BY_INTERVAL}, and no trace.flows = false",
    "flow_events": f"{_BY_INTERVAL}, and no trace.flows = false",
    "epochs": 'trace.epoch = "own rtt", say',
    "silences": 'trace.epoch = "own rtt", say',
    "transfers": _BY_TRANSFERS,
    "pages": _BY_TRANSFERS,
    "objects": f"a flow with a page, and {_BY_TRANSFERS}",
    "responses": _BY_TRANSFERS,
    "freezes": "a [[call]]",
}
"""The setting that records a table which not every run records."""


class NotRecorded(InputError, KeyError):  # noqa: N818 - it says what is missing
    """A table that the scenario does not record.

    A table without rows differs: it was recorded, and nothing happened.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"{name}: not recorded in this run; expected {RECORDED_BY[name]}")

    def __str__(self) -> str:
        return str(self.args[0])


_BUFFERS = {"f8": "<f8", "u8": "<u8", "u4": "<u4"}


Texts = tuple[list[str], bytes | None]
"""Names, and for each row the number of its name; without numbers, the name of row n is the n-th."""

Columns = Sequence[tuple[str, str, bytes | Texts]]
"""A table of the binding: a name, a type and the data of each column."""


def frame(columns: Columns) -> pl.DataFrame:
    """A data frame over the binding's columns, without a copy of numbers."""
    series = []
    for name, kind, data in columns:
        if isinstance(data, tuple):
            names, rows = data
            texts = pl.Series(name, names, dtype=pl.String)
            series.append(texts if rows is None else texts.gather(np.frombuffer(rows, dtype="<u4")))
        else:
            series.append(pl.Series(name, np.frombuffer(data, dtype=_BUFFERS[kind])))
    return pl.DataFrame(series)


def _texts(data: Texts) -> list[str]:
    """The text of each row."""
    names, rows = data
    return names if rows is None else [names[row] for row in np.frombuffer(rows, dtype="<u4")]


class Arrays(Mapping[str, "np.ndarray | list[str]"]):
    """A table's columns, each converted to an array or a list of texts on first access."""

    def __init__(self, columns: Columns) -> None:
        self._columns = {name: (kind, data) for name, kind, data in columns}
        self._values: dict[str, np.ndarray | list[str]] = {}

    def __getitem__(self, name: str) -> np.ndarray | list[str]:
        if name not in self._values:
            kind, data = self._columns[name]
            self._values[name] = (
                _texts(data) if isinstance(data, tuple) else np.frombuffer(data, dtype=_BUFFERS[kind])
            )
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


class Tables(Mapping[str, pl.DataFrame]):
    """A run's tables, each converted to a data frame on first access; most are never accessed.

    A table that was not recorded is none of them: to ask for it raises NotRecorded, an InputError.
    """

    def __init__(self, columns: Mapping[str, Columns | None]) -> None:
        self._columns = {name: table for name, table in columns.items() if table is not None}
        self._frames: dict[str, pl.DataFrame] = {}
        self._arrays: dict[str, Arrays] = {}

    def __getitem__(self, name: str) -> pl.DataFrame:
        if name not in self._frames:
            self._frames[name] = frame(self._found(name))
        return self._frames[name]

    def _found(self, name: str) -> Columns:
        if name not in self._columns and name in RECORDED_BY:
            raise NotRecorded(name)
        return self._columns[name]

    def columns(self, name: str) -> Mapping[str, np.ndarray | list[str]]:
        """The columns of a table without a data frame: arrays of numbers, lists of texts."""
        if name not in self._arrays:
            self._arrays[name] = Arrays(self._found(name))
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)
