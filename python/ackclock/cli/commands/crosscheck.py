"""The command `crosscheck`."""

from __future__ import annotations

import csv
import dataclasses
import io
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ackclock.cli import names
from ackclock.cli.command import Options
from ackclock.cli.options import Json
from ackclock.errors import InputError, unknown

if TYPE_CHECKING:
    from ackclock.crosscheck.cases import Case

__all__ = ["Crosscheck"]

COMPARISONS = ("stacks",)

KIND = "comparison of stacks"

PROGRAMS = ("iperf3", "ackclock-link", "ackclock-quic", "ackclock-kernel")
"""The packages whose versions are in the provenance."""

SHORTEST_S = 10
"""A shorter run has too few loss periods."""


@dataclass(frozen=True, kw_only=True)
class Crosscheck(Options):
    """Compare one controller on all stacks that this machine has; a repeated command resumes."""

    EXAMPLES = (
        "ackclock crosscheck stacks --quick",
        "ackclock crosscheck stacks cubic bbr3 --repeats 5 --output stacks",
        'ackclock crosscheck stacks --stack "quinn, virtual time"',
    )

    what: Annotated[
        str, typer.Argument(metavar="WHAT", help="stacks: the simulator's TCP, QUIC stacks and the kernel.")
    ]
    algorithms: Annotated[
        list[str],
        typer.Argument(
            metavar="ALGORITHM",
            help="Algorithms on all paths; those of the table if left out.",
            autocompletion=names.algorithms,
        ),
    ] = field(default_factory=list)
    quick: Annotated[bool, typer.Option("--quick", metavar="", help="Fewer algorithms and paths.")] = False
    repeats: Annotated[
        int,
        typer.Option(
            "--repeats", metavar="N", min=1, help="Runs of each case on real sockets and in the kernel."
        ),
    ] = 3
    duration: Annotated[
        str | None,
        typer.Option(
            "--duration", metavar="TIME", help='Length of a run, as "30 s". (default: 60 s; quick, 17 to 21)'
        ),
    ] = None
    stacks: Annotated[
        list[str], typer.Option("--stack", metavar="STACK", help="Only this stack. May be repeated.")
    ] = field(default_factory=list)
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Where results are. (default: results/stacks-crosscheck)"
        ),
    ] = None
    json: Json = False

    def execute(self) -> None:
        """Compares the stacks of this machine, prints the table, and saves it with its provenance."""
        from ackclock.cli import folders
        from ackclock.cli.progress import ProgressBar
        from ackclock.crosscheck import host
        from ackclock.crosscheck.cases import FULL, QUICK
        from ackclock.crosscheck.stacks import COLUMNS, HEADINGS, compare
        from ackclock.crosscheck.store import Runs
        from ackclock.provenance import document
        from ackclock.report.json_text import dumps
        from ackclock.results_folder import ResultsFolder

        if self.what not in COMPARISONS:
            raise unknown("crosscheck", self.what, COMPARISONS)
        cases = _cases(QUICK if self.quick else FULL, self.algorithms, _seconds(self.duration))
        columns = [column for column in COLUMNS if not self.stacks or column.name in self.stacks]
        for name in self.stacks:
            if name not in {column.name for column in COLUMNS}:
                raise unknown("--stack", name, [column.name for column in COLUMNS])
        folder = folders.resumable(self.output or folders.RESULTS / "stacks-crosscheck", KIND)
        began_s = time.monotonic()
        with ResultsFolder(folder, (KIND,), shared=True) as opened:
            with ProgressBar("Comparing") as bar:
                rows = compare(cases, self.repeats, columns, Runs(folder / folders.STORE), bar.tell)
            written = [row.cells() for row in rows]
            opened.write_text("stacks.csv", _csv([list(HEADINGS), *written]))
            result = {
                "what": KIND,
                "cases": [dataclasses.asdict(case) | {"warm_up_s": case.warm_up_s} for case in cases],
                "stacks": [column.name for column in columns],
                "repeats": self.repeats,
                "programs": host.versions(*PROGRAMS),
            }
            opened.write_json(
                "provenance.json", document(result, wall_s=round(time.monotonic() - began_s, 1))
            )
            opened.commit()
        if self.json:
            print(dumps([dict(zip(HEADINGS, cells, strict=True)) for cells in written]))
            return
        _print([list(HEADINGS), *written])
        print(f"\nTable  {folders.readable(folder)}/stacks.csv")


def _seconds(duration: str | None) -> int | None:
    """Whole seconds. Raises InputError for what is none, and for too few."""
    if duration is None:
        return None
    found = re.fullmatch(r"\s*(\d{1,6})\s*(s|min)\s*", duration)
    seconds = int(found[1]) * (60 if found[2] == "min" else 1) if found else 0
    if seconds < SHORTEST_S:
        raise InputError(
            f'--duration: found "{duration}"; expected at least {SHORTEST_S} seconds, of which a quarter '
            'does not count, as "30 s"'
        )
    return seconds


def _csv(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _cases(known: Sequence[Case], algorithms: Sequence[str], duration_s: int | None) -> list[Case]:
    """The cases of these algorithms, for this time.

    An algorithm without cases of its own runs on all paths.
    """
    from ackclock.crosscheck.cases import Case

    if algorithms:
        paths = {case.bottleneck: case.duration_s for case in known}
        known = [Case(name, path, duration_s=length) for path, length in paths.items() for name in algorithms]
    return [dataclasses.replace(case, duration_s=duration_s or case.duration_s) for case in known]


def _print(rows: list[list[str]]) -> None:
    """Prints a table that fits the terminal."""
    from ackclock.cli.printed import fitting
    from ackclock.cli.terminal import console
    from ackclock.report.tables import Cell, View

    heads, *cells = rows
    view = View("", tuple((head, "") for head in heads), tuple(tuple(map(Cell, row)) for row in cells))
    terminal = console()
    for table in fitting(view, terminal):
        terminal.print(table)
