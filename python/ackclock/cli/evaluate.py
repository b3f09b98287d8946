"""The command `evaluate`, with parsed arguments."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from ackclock.cli import folders
from ackclock.cli.progress import ProgressBar
from ackclock.cli.run import plain
from ackclock.cli.terminal import console
from ackclock.errors import InputError, Stopped, unknown
from ackclock.evaluation import documents, report
from ackclock.evaluation.evaluate import Evaluation, EvaluationInterrupted, evaluate
from ackclock.evaluation.suites import DEFAULT, SUITES
from ackclock.evaluation.verdict import CLASSES, load_thresholds
from ackclock.interrupts import held
from ackclock.report import tables
from ackclock.report.text import counted
from ackclock.results_folder import ResultsFolder
from ackclock.scenarios.algorithms import one_algorithm

__all__ = ["evaluating"]


def evaluating(
    algorithm: str,
    *,
    against: str,
    only: str,
    suite: str,
    stack: str | None,
    quick: bool,
    seeds: int | None,
    thresholds: Path | None,
    fail_on: Sequence[str],
    output: Path | None,
    workers: int | None,
    address: str | None,
    as_json: bool,
) -> int:
    """Evaluates an algorithm, prints and saves the outcome; 1 if a condition of `fail_on` holds, else 0."""
    if suite not in SUITES:
        raise unknown("suite", suite, SUITES)
    conditions = [_condition(text, suite) for text in fail_on]
    limits = load_thresholds(thresholds)
    label, _ = one_algorithm(algorithm)
    folder = folders.resumable(output or _default_folder(label, suite), report.KIND)
    with ResultsFolder(folder, (report.KIND,), shared=True) as opened:
        with held() if address is None else nullcontext(), ProgressBar("Evaluating") as bar:
            try:
                done = evaluate(
                    algorithm,
                    folder / folders.STORE,
                    against=_listed(against),
                    only=_listed(only),
                    suite=suite,
                    stack=stack,
                    quick=quick,
                    seeds=seeds,
                    thresholds=limits,
                    workers=workers,
                    address=address,
                    progress=bar.tell,
                )
            except EvaluationInterrupted as interrupt:
                raise Stopped(f"{interrupt}; the same command goes on from there") from None
        report.write(done, opened)
    shown = folders.readable(folder)
    if as_json:
        print(tables.dumps(documents.as_json(done, shown)))
    else:
        _print(done, shown)
    return _failed(done, conditions)


def _print(done: Evaluation, folder: str) -> None:
    terminal = console()
    how = f"{counted(len(done.seeds), 'seed')}{', quick' if done.quick else ''}"
    terminal.print(plain(f"{done.label} by the criteria of {done.suite.title}"), style="bold")
    terminal.print(plain(f"beside {', '.join(done.labels[1:])}; {how}"))
    view = report.summary_view(done)
    terminal.print(view.rich())
    terminal.print(plain(view.note), style="dim")
    terminal.print(f"\nReport   {plain(folder)}/report.html", soft_wrap=True)


def _listed(text: str) -> tuple[str, ...]:
    """The names between commas that stand in no parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return tuple(part.strip() for part in parts if part.strip())


def _default_folder(label: str, suite: str) -> Path:
    return folders.named(label, report.KIND if suite == DEFAULT else suite, "algorithm")


def _condition(text: str, suite: str) -> tuple[str, str]:
    """A criterion and the class from which on it fails."""
    key, colon, kind = (part.strip() for part in text.partition(":"))
    known = [criterion.key for criterion in SUITES[suite].criteria]
    if not colon:
        raise InputError(f'--fail-on {text}: a criterion and a class are needed, as in "bufferbloat: worse"')
    if key not in known:
        raise unknown("criterion", key, known)
    if kind not in CLASSES[1:]:
        raise InputError(f'--fail-on {text}: found "{kind}"; expected one of {", ".join(CLASSES[1:])}')
    return key, kind


def _failed(done: Evaluation, conditions: Sequence[tuple[str, str]]) -> int:
    found = {judged.criterion.key: judged.verdict for judged in done.judged}
    failed = 0
    for key, kind in conditions:
        if key not in found:
            raise InputError(f"--fail-on {key}: this criterion was not evaluated, since --only leaves it out")
        if CLASSES.index(found[key]) >= CLASSES.index(kind):
            print(f"ackclock: {key} is {found[key]}", file=sys.stderr)
            failed = 1
    return failed
