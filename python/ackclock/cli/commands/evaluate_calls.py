"""The command `evaluate` for a congestion control of calls."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import typer

from ackclock.cli.command import fail_for, reporting
from ackclock.cli.conditions import condition, holds_any, listed
from ackclock.errors import InputError, Stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.evaluation.rmcat.evaluate import CallEvaluation
    from ackclock.evaluation.suite import Suite

__all__ = ["SUITE", "execute"]


class Asked(Protocol):
    """The options of the command."""

    @property
    def algorithm(self) -> str: ...
    @property
    def against(self) -> str | None: ...
    @property
    def stack(self) -> str | None: ...
    @property
    def quick(self) -> bool: ...
    @property
    def attack(self) -> bool: ...
    @property
    def seeds(self) -> int | None: ...
    @property
    def thresholds(self) -> Path | None: ...
    @property
    def fail_on(self) -> list[str]: ...
    @property
    def output(self) -> Path | None: ...
    @property
    def cluster(self) -> str | None: ...
    @property
    def workers(self) -> int | None: ...
    @property
    def trust(self) -> bool: ...
    @property
    def json(self) -> bool: ...
    def criteria(self) -> tuple[str, ...]:
        """The cases that `--only` names; none for all. Raises InputError."""

    def earlier(self) -> Callable[[Mapping[str, object], Suite, Sequence[str]], list[str]]:
        """The comparison with the baseline. Raises InputError."""


SUITE = "rmcat"
AGAINST = ("nada", "gcc", "scream2")


def execute(options: Asked) -> None:
    """Evaluates the algorithm, prints and saves the outcome; exit status 1 if a condition holds."""
    from ackclock.cli import folders
    from ackclock.evaluation.report import KIND
    from ackclock.evaluation.rmcat import SUITE as CASES
    from ackclock.evaluation.rmcat import documents, report
    from ackclock.evaluation.rmcat.outcome import VERDICTS
    from ackclock.report.json_text import dumps
    from ackclock.results_folder import ResultsFolder
    from ackclock.scenarios import media

    for name, value in (
        ("--stack", options.stack),
        ("--attack", options.attack),
        ("--thresholds", options.thresholds),
    ):
        if value:
            raise InputError(
                f"{name}: it is for congestion controls of TCP, and {options.algorithm} is one of calls"
            )
    conditions = [condition(text, CASES, VERDICTS) for text in options.fail_on]
    against = options.earlier()
    label = next(iter(media.referred([options.algorithm], trust=options.trust)))
    folder = folders.resumable(options.output or folders.named(label, SUITE, "algorithm"), KIND)
    with ResultsFolder(folder, (KIND,), shared=True) as opened:
        done = _evaluated(options, label, folder / folders.STORE)
        with reporting():
            report.write(done, opened)
    shown = folders.readable(folder)
    document = documents.as_json(done, shown)
    if options.json:
        print(dumps(document))
    else:
        _print(done, shown)
    failures = against(document, CASES, VERDICTS)
    is_failure = holds_any(conditions, {judged.case.key: judged.verdict for judged in done.judged}, VERDICTS)
    fail_for(failures)
    if is_failure:
        raise typer.Exit(1)


def _evaluated(options: Asked, label: str, store: Path) -> CallEvaluation:
    """The evaluation, with the runs that the store lacked."""
    from ackclock.cli.progress import ProgressBar
    from ackclock.evaluation.plan import EvaluationInterrupted
    from ackclock.evaluation.rmcat.evaluate import evaluate_calls
    from ackclock.interrupts import held

    against = AGAINST if options.against is None else listed(options.against)
    with held() if options.cluster is None else nullcontext(), ProgressBar("Evaluating") as bar:
        try:
            return evaluate_calls(
                options.algorithm,
                store,
                against=[name for name in against if name != label],
                only=options.criteria(),
                quick=options.quick,
                seeds=options.seeds,
                workers=options.workers,
                address=options.cluster,
                trust=options.trust,
                progress=bar.tell,
            )
        except EvaluationInterrupted as interrupt:
            raise Stopped(f"{interrupt}; the same command goes on from there") from None


def _print(done: CallEvaluation, folder: str) -> None:
    from ackclock.cli.printed import plain
    from ackclock.cli.terminal import console
    from ackclock.evaluation.rmcat import documents
    from ackclock.evaluation.rmcat.outcome import HOLDS
    from ackclock.evaluation.rmcat.quantities import MAIN
    from ackclock.report.text import counted

    terminal = console()
    terminal.print(plain(f"{done.label} by the cases of RFC 8867 and RFC 8869"), style="bold")
    terminal.print(plain(f"{counted(len(done.seeds), 'seed')}{', quick' if done.quick else ''}"))
    terminal.print(documents.summary_view(done, MAIN).rich())
    terminal.print(plain(done.suite.thresholds), style="dim")
    for judged in done.judged:
        for found in judged.found:
            if found.verdict != HOLDS:
                terminal.print()
                words = f'{found.verdict}: "{found.expectation.quote}" ({found.expectation.section})'
                terminal.print(plain(words), soft_wrap=True)
                terminal.print(plain(f"  {found.cell.name}: {found.words}"), soft_wrap=True)
    terminal.print(f"\nReport   {plain(folder)}/report.html", soft_wrap=True)
