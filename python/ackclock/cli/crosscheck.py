"""The command `crosscheck`, with parsed arguments."""

from __future__ import annotations

import csv
import dataclasses
import io
import time
from collections.abc import Sequence
from pathlib import Path

from ackclock.cli import folders
from ackclock.cli.progress import ProgressBar
from ackclock.crosscheck import host
from ackclock.crosscheck.cases import FULL, QUICK, Case
from ackclock.crosscheck.stacks import COLUMNS, HEADINGS, compare
from ackclock.crosscheck.store import Runs
from ackclock.errors import InputError, unknown
from ackclock.provenance import document
from ackclock.report import tables
from ackclock.results_folder import ResultsFolder

__all__ = ["COMPARISONS", "crosscheck_stacks"]

COMPARISONS = ("stacks",)

KIND = "comparison of stacks"

PROGRAMS = ("iperf3", "ackclock-link", "ackclock-quic", "ackclock-kernel")
"""Those whose versions the provenance has."""

SHORTEST_S = 10
"""Less says nothing of loss periods."""


def crosscheck_stacks(
    algorithms: Sequence[str],
    *,
    quick: bool,
    repeats: int,
    duration_s: int | None,
    stacks: Sequence[str],
    output: Path | None,
    as_json: bool,
) -> None:
    """Compares the stacks of this machine, prints the table, and saves it with its provenance."""
    if duration_s is not None and duration_s < SHORTEST_S:
        raise InputError(
            f"--duration {duration_s}: at least {SHORTEST_S} seconds, of which a quarter does not count"
        )
    cases = _cases(QUICK if quick else FULL, algorithms, duration_s)
    columns = [column for column in COLUMNS if not stacks or column.name in stacks]
    for name in stacks:
        if name not in {column.name for column in COLUMNS}:
            raise unknown("--stack", name, [column.name for column in COLUMNS])
    folder = folders.resumable(output or folders.RESULTS / "stacks-crosscheck", KIND)
    began_s = time.monotonic()
    with ResultsFolder(folder, (KIND,), shared=True) as opened:
        with ProgressBar("Comparing") as bar:
            rows = compare(cases, repeats, columns, Runs(folder / folders.STORE), bar.tell)
        written = [row.cells() for row in rows]
        opened.write_text("stacks.csv", _csv([list(HEADINGS), *written]))
        result = {
            "what": KIND,
            "cases": [dataclasses.asdict(case) | {"warm_up_s": case.warm_up_s} for case in cases],
            "stacks": [column.name for column in columns],
            "repeats": repeats,
            "programs": host.versions(*PROGRAMS),
        }
        opened.write_json("provenance.json", document(result, wall_s=round(time.monotonic() - began_s, 1)))
        opened.commit()
    if as_json:
        print(tables.dumps([dict(zip(HEADINGS, cells, strict=True)) for cells in written]))
        return
    _print([list(HEADINGS), *written])
    print(f"\nTable  {folders.readable(folder)}/stacks.csv")


def _csv(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _cases(known: Sequence[Case], algorithms: Sequence[str], duration_s: int | None) -> list[Case]:
    """The cases of these algorithms, for this time; an algorithm beyond them runs on the paths of all."""
    if algorithms:
        paths = {case.bottleneck: case.duration_s for case in known}
        known = [Case(name, path, duration_s=length) for path, length in paths.items() for name in algorithms]
    return [dataclasses.replace(case, duration_s=duration_s or case.duration_s) for case in known]


def _print(rows: list[list[str]]) -> None:
    """Prints a table in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
