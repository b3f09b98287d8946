"""The command `conform`."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ackclock.cli import names
from ackclock.cli.command import Options
from ackclock.cli.options import Json, Junit, Settings, Trust, settings_of
from ackclock.errors import InputError, Stopped

if TYPE_CHECKING:
    from ackclock.conformance.judge import Conformance

__all__ = ["Conform"]

LOOKS = {"fails": "bold red", "inconclusive": "yellow"}
"""The looks of verdicts other than "holds" on a terminal with colours."""


@dataclass(frozen=True, kw_only=True)
class Conform(Options):
    """Judge an algorithm by the cases of its specification; exit code 1 if it fails one."""

    EXAMPLES = (
        "ackclock conform bbr3",
        "ackclock conform mine.py:Mine --spec cubic",
        "ackclock conform bbr3 --only decrease,policer --seeds 10 --json",
        "ackclock conform rack --set tcp.dsack=true",
        "ackclock conform trace.qlog --spec reno",
        "ackclock list specifications",
    )

    algorithm: Annotated[
        str,
        typer.Argument(
            metavar="ALGORITHM|LOG",
            help='An algorithm, a class in a file, as "mine.py:Mine", or the qlog of a sender.',
            autocompletion=names.algorithms,
        ),
    ]
    spec: Annotated[
        str | None,
        typer.Option(
            "--spec", metavar="NAME", help="The specification. (default: the one that names the algorithm)"
        ),
    ] = None
    only: Annotated[
        str, typer.Option("--only", metavar="KEYS", help="Cases by their keys. (default: all)")
    ] = ""
    seeds: Annotated[
        int, typer.Option("--seeds", metavar="N", min=1, help="Runs of each case, on paths of other delays.")
    ] = 3
    settings: Settings = field(default_factory=list)
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Where results are. (default: results/<name>-conformance)"
        ),
    ] = None
    junit: Junit = None
    trust: Trust = False
    json: Json = False

    def execute(self) -> None:
        """Judges the algorithm, prints and saves the verdicts; exit status 1 if a case fails."""
        from ackclock.cli import folders
        from ackclock.conformance import documents, report
        from ackclock.conformance.qlog import ENDINGS, name_of
        from ackclock.own_files import refuse_foreign
        from ackclock.report import junit
        from ackclock.report.json_text import dumps
        from ackclock.results_folder import ResultsFolder
        from ackclock.scenarios.algorithms import one_algorithm

        is_log = self.algorithm.endswith(ENDINGS)
        if not is_log and not self.algorithm.endswith(".py") and Path(self.algorithm).is_file():
            raise InputError(
                f"{self.algorithm}: this file is neither an algorithm nor a qlog; an algorithm in a file is "
                f"file.py:Class, and the name of a log ends in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
            )
        label = (
            name_of(Path(self.algorithm)) if is_log else one_algorithm(self.algorithm, trust=self.trust)[0]
        )
        if self.junit is not None:
            refuse_foreign(self.junit)
        place = self.output or folders.unused(folders.named(label, report.KIND, "algorithm"))
        replaced = folders.command_of(place)
        with ResultsFolder(place, (report.KIND,)) as folder:
            try:
                done = self._judged_log() if is_log else self._judged()
            except KeyboardInterrupt:
                raise Stopped("interrupted; no verdict was written") from None
            report.write(done, folder)
            folders.tell_replaced(place, replaced)
        if self.junit is not None:
            junit.write(self.junit, "conform", documents.as_test_cases(done))
        shown = folders.readable(place.absolute())
        if self.json:
            print(dumps(documents.as_json(done, shown)))
        else:
            _print(done, shown)
        if done.fails:
            sys.exit(1)

    def _keys(self) -> list[str]:
        keys = [key.strip() for key in self.only.split(",") if key.strip()]
        if self.only and not keys:
            raise InputError(f'--only: found "{self.only}"; expected the keys of cases, separated by commas')
        return keys

    def _judged(self) -> Conformance:
        from ackclock.cli.progress import ProgressBar
        from ackclock.conformance.judge import conform

        with ProgressBar("Judging") as bar:
            return conform(
                self.algorithm,
                self.spec,
                only=self._keys(),
                seeds=self.seeds,
                settings=settings_of(self.settings),
                trust=self.trust,
                progress=bar.tell,
            )

    def _judged_log(self) -> Conformance:
        from ackclock.conformance.judge import conform_log
        from ackclock.conformance.specifications import specifications

        if self.spec is None:
            known = ", ".join(sorted(specifications()))
            raise InputError(f"{self.algorithm}: a log does not name its algorithm; --spec does ({known})")
        if self.settings:
            raise InputError(
                f"--set: {self.algorithm} is the log of a run that is over; --set is for new runs"
            )
        return conform_log(self.algorithm, self.spec, only=self._keys())


def _print(done: Conformance, folder: str) -> None:
    from rich.table import Table

    from ackclock.cli.printed import plain
    from ackclock.cli.terminal import console
    from ackclock.conformance import documents

    terminal = console()
    terminal.print(plain(f"{done.label} by {done.specification.title}"), style="bold")
    terminal.print(plain(f"{done.specification.source}; {done.basis}"))
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    for heading in ("case", "verdict", "finding"):
        table.add_column(heading, overflow="fold", no_wrap=heading != "finding")
    for verdict in documents.judged(done):
        looks = LOOKS.get(verdict.word, "")
        found = documents.found_in_words(verdict)
        table.add_row(
            verdict.case.key, f"[{looks}]{verdict.word}[/]" if looks else verdict.word, plain(found)
        )
    if table.row_count:
        terminal.print(table)
    for reason, verdicts in documents.not_judged(done).items():
        keys = ", ".join(verdict.case.key for verdict in verdicts)
        terminal.print(plain(f"not applicable, {reason}: {keys}"), style="dim")
    terminal.print(plain(documents.summary(done)))
    terminal.print(f"\nReport   {plain(folder)}/report.html", soft_wrap=True)
    failed = next((one.case.key for one in documents.judged(done) if one.scenario is not None), None)
    if done.fails and failed is not None:
        again = f"ackclock run {folder}/scenarios/{failed}.toml"
        terminal.print(f"Alone    {plain(again)}", soft_wrap=True)
