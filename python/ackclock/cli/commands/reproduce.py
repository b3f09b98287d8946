"""The command `reproduce`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ackclock.cli.command import Options, fail_for
from ackclock.cli.options import Json, Trust, Workers
from ackclock.errors import InputError, Stopped

if TYPE_CHECKING:
    from ackclock.papers import Paper, Reproduction
    from ackclock.papers.scorecard import Score

__all__ = ["Reproduce"]


@dataclass(frozen=True, kw_only=True)
class Reproduce(Options):
    """Check the claims of a paper, one by one, with verdicts; or of all papers, with one scorecard."""

    EXAMPLES = (
        "ackclock reproduce tcp-variants",
        "ackclock reproduce tcp-variants --quick --json",
        "ackclock reproduce all --quick",
        "ackclock reproduce he-tcp --from results/papers/he-tcp",
        "ackclock reproduce burst-tcp --with mine.py:Mine --quick",
        "ackclock list papers",
    )

    paper: Annotated[
        str, typer.Argument(metavar="PAPER", help="A paper's key, a folder with claims.toml, or all.")
    ]
    quick: Annotated[
        bool, typer.Option("--quick", metavar="", help="A shorter check, good enough to notice a change.")
    ] = False
    parts: Annotated[
        list[str],
        typer.Option(
            "--part",
            metavar="PART",
            help="Only this part; ackclock list papers names the parts. May be repeated.",
        ),
    ] = field(default_factory=list)
    competitors: Annotated[
        list[str],
        typer.Option(
            "--with",
            metavar="ALGORITHM",
            help="One more algorithm in the paper's experiments, as mine.py:Mine. May be repeated.",
        ),
    ] = field(default_factory=list)
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Where to put it. (default: results/papers/<key>; for all, results/papers; "
            "--with: results/papers/<key>-with; --part: results/papers/<key>-<part>)",
        ),
    ] = None
    measured: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="DIR",
            help="Judge the measurements in this results folder again, without a simulation.",
        ),
    ] = None
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", metavar="", help="Exit status 1 if a statement in the sum is not reproduced."
        ),
    ] = False
    workers: Workers = None
    trust: Trust = False
    json: Json = False

    def execute(self) -> None:
        """Checks the claims, prints and saves the verdicts; exit status 1 as `strict` says."""
        if self.paper == "all" and self.parts:
            raise InputError('"all" has no parts: --part goes with one paper')
        if self.competitors and (self.paper == "all" or self.measured):
            other = "all" if self.paper == "all" else "--from, which runs nothing"
            raise InputError(f"--with goes with a run of one paper, not with {other}")
        failures = self._every_paper() if self.paper == "all" else self._one_paper()
        if self.strict:
            fail_for(failures)

    def _one_paper(self) -> list[str]:
        """The statements of the paper that do not hold."""
        from ackclock import papers
        from ackclock.cli import folders
        from ackclock.cli.printed import plain
        from ackclock.cli.terminal import console
        from ackclock.report.json_text import dumps

        paper = papers.load_paper(self.paper)
        try:
            reproduction, path = self._checked(
                paper,
                self.output or self._own_folder(paper),
                self.measured,
            )
        except KeyboardInterrupt:
            raise Stopped("interrupted: verdicts need every measurement, so nothing was written") from None
        shown = folders.readable(path)
        if self.json:
            print(dumps(reproduction.document(shown)))
            return reproduction.failures()
        terminal = console()
        terminal.print(plain(paper.title), style="bold")
        terminal.print(plain(paper.byline) + (" – quick check" if reproduction.quick else ""))
        if reproduction.competitors:
            for view in reproduction.answer_views():
                terminal.print(view.rich())
        else:
            if reproduction.statements:
                terminal.print(reproduction.rich())
                terminal.print(reproduction.count())
            else:
                terminal.print("This part has figures and no claims.")
            if reproduction.quick and reproduction.tally.unexplained:
                terminal.print("Without a cause: the full run, for which causes are given, finds otherwise.")
        terminal.print(f"\nReport   {plain(shown)}/report.html", soft_wrap=True)
        return reproduction.failures()

    def _own_folder(self, paper: Paper) -> Path:
        """The default folder, one for each choice of parts, so that none replaces the results of another."""
        from ackclock.cli import folders

        name = "-".join([paper.key, *["with"] * bool(self.competitors), *self.parts])
        return folders.PAPERS / name

    def _every_paper(self) -> list[str]:
        """The statements of all papers that do not hold.

        The scorecard is written next to the papers' folders.
        """
        from ackclock import papers
        from ackclock.cli import folders
        from ackclock.papers import scorecard
        from ackclock.report.json_text import dumps
        from ackclock.results_folder import ResultsFolder

        place = self.output or folders.PAPERS
        entries = papers.list_papers()
        done: list[tuple[Reproduction, Path]] = []
        try:
            with ResultsFolder(place / "scorecard", (scorecard.KIND,)) as folder:
                for number, entry in enumerate(entries, start=1):
                    measured = self.measured / entry.key if self.measured else None
                    counted = f" ({number} of {len(entries)})"
                    paper = papers.load_paper(entry.key)
                    done.append(self._checked(paper, place / entry.key, measured, counted))
                scores = scorecard.write(folder, [reproduction for reproduction, _ in done])
                path = folder.commit()
        except KeyboardInterrupt:
            kept = (
                f"{len(done)} of {len(entries)} papers were finished"
                + f" and are kept in {folders.readable(place)}" * bool(done)
            )
            raise Stopped(f"interrupted: {kept}; there is no scorecard") from None
        if self.json:
            print(dumps([one.document(folders.readable(own)) for one, own in done]))
        else:
            _print_scorecard(scores, path, quick=any(one.quick for one, _ in done))
        return [line for reproduction, _ in done for line in reproduction.failures()]

    def _checked(
        self, paper: Paper, output: Path, measured: Path | None, number: str = ""
    ) -> tuple[Reproduction, Path]:
        """Checks one paper, or judges its measurements in the folder `measured`, and writes its folder."""
        from ackclock import papers
        from ackclock.cli.progress import ProgressBar
        from ackclock.interrupts import held
        from ackclock.results_folder import ResultsFolder

        with ResultsFolder(output, (papers.KIND,)) as folder, ProgressBar(paper.key + number) as bar:
            if measured:
                reproduction = papers.judged_again(paper, measured, trust=self.trust)
            else:
                reproduction = papers.check(
                    paper,
                    quick=self.quick,
                    parts=self.parts,
                    algorithms=self.competitors,
                    workers=self.workers,
                    trust=self.trust,
                    progress=bar.tell,
                )
            with held():
                reproduction.write(folder)
                return reproduction, folder.commit()


def _print_scorecard(scores: Sequence[Score], folder: Path, *, quick: bool) -> None:
    from ackclock.cli import folders
    from ackclock.cli.printed import plain
    from ackclock.cli.terminal import console
    from ackclock.papers import scorecard

    terminal = console()
    terminal.print(f"[bold]Papers, statement by statement[/bold]{' – quick check' if quick else ''}")
    for view in scorecard.views(scores):
        terminal.print(view.rich())
    terminal.print(f"Scorecard  {plain(folders.readable(folder))}/scorecard.html", soft_wrap=True)
