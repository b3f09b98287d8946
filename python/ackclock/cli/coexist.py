"""The command `coexist`, with parsed arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ackclock.cli import folders
from ackclock.cli.progress import ProgressBar
from ackclock.cli.run import plain
from ackclock.cli.terminal import console
from ackclock.errors import InputError, Stopped
from ackclock.evaluation import coexistence_documents as documents
from ackclock.evaluation import coexistence_report as report
from ackclock.evaluation.coexistence import HARMS, Coexistence, Setting, coexist
from ackclock.evaluation.evaluate import EvaluationInterrupted
from ackclock.interrupts import held
from ackclock.report import tables
from ackclock.results_folder import ResultsFolder
from ackclock.scenarios.algorithms import referred

__all__ = ["coexisting"]

RATES = {"kbit/s": 1e-3, "Mbit/s": 1.0, "Gbit/s": 1e3}
TIMES = {"us": 1e-3, "ms": 1.0, "s": 1e3}


def coexisting(
    algorithms: Sequence[str],
    *,
    rate: str,
    rtt: str,
    buffers: str,
    flows: int,
    seeds: int | None,
    quick: bool,
    output: Path | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Runs every algorithm beside every other, prints and saves the outcome."""
    setting = Setting(
        _quantity("--rate", rate, RATES, "20 Mbit/s"),
        _quantity("--rtt", rtt, TIMES, "40 ms"),
        tuple(_depth(text.strip()) for text in buffers.split(",")),
        flows,
    )
    labels = list(referred(algorithms, Path()))
    folder = folders.resumable(output or _default_folder(labels), report.KIND)
    with ResultsFolder(folder, (report.KIND,), shared=True) as opened:
        with held(), ProgressBar("Simulating") as bar:
            try:
                done = coexist(
                    algorithms, folder / folders.STORE, setting=setting, quick=quick, seeds=seeds,
                    workers=workers, progress=bar.tell,
                )  # fmt: skip
            except EvaluationInterrupted as interrupt:
                raise Stopped(f"{interrupt}; the same command goes on from there") from None
        report.write(done, opened)
    shown = folders.readable(folder)
    if as_json:
        print(tables.dumps(documents.as_json(done, shown)))
    else:
        _print(done, shown)


def _default_folder(labels: Sequence[str]) -> Path:
    """The folder of these algorithms; a long list is cut, since the length of file names is limited."""
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
