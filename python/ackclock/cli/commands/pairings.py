"""The command `pairings`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ackclock.cli.command import Options, reporting
from ackclock.cli.options import Json, SeedsIfAny, Workers
from ackclock.errors import InputError, Stopped

if TYPE_CHECKING:
    from ackclock.evaluation.pairings import Pairings

__all__ = ["PairingsCommand"]


@dataclass(frozen=True, kw_only=True)
class PairingsCommand(Options):
    """Run services in pairs on one bottleneck: who leaves whom less than its fair share?"""

    EXAMPLES = (
        "ackclock pairings --quick",
        "ackclock pairings film:cubic film:bbr1 bulk:bbr3 call:gcc --rates 8",
    )

    services: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SERVICE",
            help="Applications with their algorithms, as film:cubic and call:gcc. (default: seven of them)",
        ),
    ] = None
    rates: Annotated[
        str, typer.Option("--rates", metavar="RATES", help="The rates of the bottleneck in Mbit/s.")
    ] = "8,50"
    seeds: SeedsIfAny = None
    quick: Annotated[bool, typer.Option("--quick", metavar="", help="Shorter runs, three seeds.")] = False
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Where results are. (default: results/pairings)"),
    ] = None
    workers: Workers = None
    json: Json = False

    def execute(self) -> None:
        """Runs every pair, prints and saves the outcome."""
        from ackclock.cli import folders
        from ackclock.evaluation import pairings_documents as documents
        from ackclock.evaluation import pairings_report as report
        from ackclock.report.json_text import dumps
        from ackclock.results_folder import ResultsFolder

        folder = folders.resumable(self.output or Path("results") / report.KIND, report.KIND)
        with ResultsFolder(folder, (report.KIND,), shared=True) as opened:
            done = self._run(folder / folders.STORE)
            with reporting():
                report.write(done, opened)
        shown = folders.readable(folder)
        if self.json:
            print(dumps(documents.as_json(done, shown)))
        else:
            _print(done, shown)

    def _run(self, store: Path) -> Pairings:
        """The pairings, with the runs that the store lacked."""
        from ackclock.cli.progress import ProgressBar
        from ackclock.evaluation.pairings import pairings
        from ackclock.evaluation.plan import EvaluationInterrupted
        from ackclock.evaluation.services import DEFAULTS
        from ackclock.interrupts import held

        rates = [_rate(text.strip()) for text in self.rates.split(",")]
        with held(), ProgressBar("Simulating") as bar:
            try:
                return pairings(
                    self.services or DEFAULTS, store=store, rates_mbit_per_s=rates, quick=self.quick,
                    seeds=self.seeds, workers=self.workers, progress=bar.tell,
                )  # fmt: skip
            except EvaluationInterrupted as interrupt:
                raise Stopped(f"{interrupt}; the same command goes on from there") from None


def _rate(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f'--rates: found "{text}"; expected numbers of Mbit/s, as "8,50"') from None


def _print(done: Pairings, folder: str) -> None:
    from ackclock.cli.printed import plain
    from ackclock.cli.terminal import console
    from ackclock.evaluation import pairings_documents as documents

    terminal = console()
    terminal.print(plain(f"{', '.join(done.services)} in pairs"), style="bold")
    terminal.print(plain(documents.conditions(done)))
    for view in documents.views(done):
        terminal.print(view.rich())
    for note in documents.notes(done):
        terminal.print(plain(note), style="dim")
    terminal.print(f"\nReport   {plain(folder)}/report.html", soft_wrap=True)
    terminal.print(f"Figures  {plain(folder)}/figures/", soft_wrap=True)
