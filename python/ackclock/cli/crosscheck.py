"""The command `crosscheck`, with parsed arguments."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from ackclock.atomic import write_file
from ackclock.cli.progress import ProgressBar
from ackclock.crosscheck.cases import FULL, QUICK, Case, Times
from ackclock.crosscheck.stacks import COLUMNS, HEADINGS, compare
from ackclock.errors import InputError, OutputError, unknown
from ackclock.report import tables

__all__ = ["COMPARISONS", "crosscheck_stacks"]

COMPARISONS = ("stacks",)

SHORTEST_S = 10
"""Less says nothing of loss periods."""


def crosscheck_stacks(
    algorithms: Sequence[str],
    *,
    quick: bool,
    repeats: int,
    duration_s: int,
    stacks: Sequence[str],
    output: Path | None,
    as_json: bool,
) -> None:
    """Compares the stacks of this machine, prints the table, and writes it if asked."""
    if duration_s < SHORTEST_S:
        raise InputError(
            f"--duration {duration_s}: at least {SHORTEST_S} seconds, of which a quarter does not count"
        )
    cases = _cases(FULL if not quick else QUICK, algorithms)
    columns = [column for column in COLUMNS if not stacks or column.name in stacks]
    for name in stacks:
        if name not in {column.name for column in COLUMNS}:
            raise unknown("--stack", name, [column.name for column in COLUMNS])
    written: list[list[str]] = []
    with ProgressBar("Comparing") as bar:
        for row in compare(cases, Times(duration_s, duration_s // 4), repeats, columns, bar.tell):
            written.append(row.cells())
            _write(output, written)
    if as_json:
        print(tables.dumps([dict(zip(HEADINGS, cells, strict=True)) for cells in written]))
    else:
        _print([list(HEADINGS), *written])


def _write(output: Path | None, rows: list[list[str]]) -> None:
    """Writes the rows so far: a long comparison that is interrupted leaves what it has."""
    if output is None:
        return
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([list(HEADINGS), *rows])
    try:
        write_file(output, text.getvalue().encode())
    except OSError as error:
        raise OutputError(f"{output}: cannot be written: {error.strerror}") from None


def _cases(known: Sequence[Case], algorithms: Sequence[str]) -> list[Case]:
    """The cases of these algorithms; an algorithm beyond them runs on the paths of all."""
    if not algorithms:
        return list(known)
    paths = list(dict.fromkeys(case.bottleneck for case in known))
    return [Case(algorithm, path) for path in paths for algorithm in algorithms]


def _print(rows: list[list[str]]) -> None:
    """Prints a table in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
