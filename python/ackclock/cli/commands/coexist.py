"""The command `coexist`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ackclock.cli.command import Options, reporting
from ackclock.cli.options import Json, SeedsIfAny, Trust, Workers
from ackclock.errors import InputError, Stopped

if TYPE_CHECKING:
    from ackclock.evaluation.coexistence import Coexistence, Setting

__all__ = ["Coexist"]

RATES = {"kbit/s": 1e-3, "Mbit/s": 1.0, "Gbit/s": 1e3}
TIMES = {"us": 1e-3, "ms": 1.0, "s": 1e3}


@dataclass(frozen=True, kw_only=True)
class Coexist(Options):
    """Run every pair of algorithms on one bottleneck; a repeated command resumes."""

    EXAMPLES = (
        "ackclock coexist reno cubic bbr3 vegas --quick",
        "ackclock coexist rack+reno mine.py:Mine --flows 1",
        'ackclock coexist cubic bbr1 --rate "100 Mbit/s" --rtt "20 ms" --buffer 0.1,1,10',
    )

    algorithms: Annotated[
        list[str],
        typer.Argument(
            metavar="ALGORITHM", help="Two or more algorithms, or classes in files, as mine.py:Mine."
        ),
    ]
    rate: Annotated[str, typer.Option("--rate", metavar="RATE", help="The rate of the bottleneck.")] = (
        "20 Mbit/s"
    )
    rtt: Annotated[
        str, typer.Option("--rtt", metavar="TIME", help="The round-trip time without queueing.")
    ] = "40 ms"
    buffer: Annotated[
        str,
        typer.Option("--buffer", metavar="DEPTHS", help="Depths of the buffer in bandwidth-delay products."),
    ] = "0.2,1,4"
    flows: Annotated[
        int, typer.Option("--flows", metavar="N", min=1, help="How many incumbents, and how many newcomers.")
    ] = 4
    seeds: SeedsIfAny = None
    quick: Annotated[bool, typer.Option("--quick", metavar="", help="Shorter runs, three seeds.")] = False
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Where results are. (default: results/<names>-coexistence)"
        ),
    ] = None
    workers: Workers = None
    trust: Trust = False
    json: Json = False

    def execute(self) -> None:
        """Runs every pair of algorithms, prints and saves the outcome."""
        from ackclock.cli import folders
        from ackclock.evaluation import coexistence_documents as documents
        from ackclock.evaluation import coexistence_report as report
        from ackclock.report.json_text import dumps
        from ackclock.results_folder import ResultsFolder
        from ackclock.scenarios.algorithms import referred

        setting = self._setting()
        labels = list(referred(self.algorithms, trust=self.trust))
        folder = folders.resumable(self.output or _default_folder(labels), report.KIND)
        with ResultsFolder(folder, (report.KIND,), shared=True) as opened:
            done = self._run(folder / folders.STORE, setting)
            with reporting():
                report.write(done, opened)
        shown = folders.readable(folder)
        if self.json:
            print(dumps(documents.as_json(done, shown)))
        else:
            _print(done, shown)

    def _setting(self) -> Setting:
        """The bottleneck. Raises InputError for a value that is not a quantity."""
        from ackclock.evaluation.coexistence import Setting

        return Setting(
            _quantity("--rate", self.rate, RATES, "20 Mbit/s"),
            _quantity("--rtt", self.rtt, TIMES, "40 ms"),
            tuple(_depth(text.strip()) for text in self.buffer.split(",")),
            self.flows,
        )

    def _run(self, store: Path, setting: Setting) -> Coexistence:
        """The coexistence, with the runs that the store lacked."""
        from ackclock.cli.progress import ProgressBar
        from ackclock.evaluation.coexistence import coexist
        from ackclock.evaluation.plan import EvaluationInterrupted
        from ackclock.interrupts import held

        with held(), ProgressBar("Simulating") as bar:
            try:
                return coexist(
                    self.algorithms, store, setting=setting, quick=self.quick, seeds=self.seeds,
                    workers=self.workers, trust=self.trust, progress=bar.tell,
                )  # fmt: skip
            except EvaluationInterrupted as interrupt:
                raise Stopped(f"{interrupt}; the same command goes on from there") from None


def _default_folder(labels: Sequence[str]) -> Path:
    """The folder of these algorithms; a long list is cut, since the length of file names is limited."""
    from ackclock.cli import folders
    from ackclock.evaluation import coexistence_report as report

    text = "-".join(labels).strip(".")
    return folders.named(text if len(text) <= 60 else f"{text[:50]}-and-more", report.KIND, "algorithms")


def _quantity(option: str, text: str, units: Mapping[str, float], example: str) -> float:
    """A number with one of these units."""
    found = re.fullmatch(r"\s*([0-9.]+)\s*([A-Za-z/]+)\s*", text)
    unit = found[2] if found else ""
    if found is None or unit not in units or found[1].count(".") > 1 or found[1] == ".":
        allowed = ", ".join(units)
        raise InputError(f'{option}: found "{text}"; expected a number and one of {allowed}, as "{example}"')
    return float(found[1]) * units[unit]


def _depth(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f'--buffer: found "{text}"; expected bandwidth-delay products, as "0.5,1,4"'
        ) from None


def _print(done: Coexistence, folder: str) -> None:
    from ackclock.cli.printed import plain
    from ackclock.cli.terminal import console
    from ackclock.evaluation import coexistence_documents as documents
    from ackclock.evaluation.coexistence import HARMS

    terminal = console()
    terminal.print(plain(f"{', '.join(done.labels)} on one bottleneck"), style="bold")
    terminal.print(plain(documents.conditions(done)))
    terminal.print(documents.share_view(done).rich())
    for measure in HARMS:
        terminal.print(documents.harm_view(done, measure).rich())
        terminal.print(plain(documents.sentence(done, measure)))
        terminal.print()
    for note in documents.notes(done):
        terminal.print(plain(note), style="dim")
    terminal.print(f"\nReport   {plain(folder)}/report.html", soft_wrap=True)
    terminal.print(f"Figures  {plain(folder)}/figures/", soft_wrap=True)
