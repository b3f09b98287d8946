"""Tables as Parquet files that say what they hold: units and meanings of columns, and the scenario."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.arrow_schema import ArrowSchema
from ackclock.columns import TableKind
from ackclock.provenance import PROGRAM

if TYPE_CHECKING:
    import polars as pl

__all__ = ["parquet", "write"]


def parquet(name: str, table: pl.DataFrame, kind: TableKind, scenario: Mapping[str, str]) -> bytes:
    """The table as the bytes of a file; equal tables give equal bytes."""
    buffer = io.BytesIO()
    write(buffer, name, table, kind, scenario)
    return buffer.getvalue()


def write(
    file: Path | io.BytesIO, name: str, table: pl.DataFrame, kind: TableKind, scenario: Mapping[str, str]
) -> None:
    """Writes the table; equal tables give equal bytes.

    Each column has `unit` and `meaning` in its metadata, as Arrow's schema has them. The key "ackclock" of
    the footer has a JSON object with the same for readers that see no schema, and with the scenario.
    """
    columns = {column: _metadata(kind, column) for column in table.columns}
    about = {"table": name, "row": kind.row, **scenario, "columns": columns}
    table.write_parquet(
        file,
        compression="zstd",
        compression_level=3,
        metadata={PROGRAM: json.dumps(about, ensure_ascii=False)},
        # Lists, in the tables of some designs, have no description.
        arrow_schema=ArrowSchema(table.schema, columns) if ArrowSchema.can_describe(table.schema) else None,
    )


def _metadata(kind: TableKind, column: str) -> dict[str, str]:
    """The unit and the meaning of a column, where it has them."""
    known = kind.column(column)
    return {key: text for key, text in (("unit", known.unit), ("meaning", known.meaning)) if text}
