"""The command `evaluate`."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ackclock.cli.command import Options, fail_for, reporting
from ackclock.cli.conditions import condition, holds_any, listed
from ackclock.cli.options import Cluster, Json, SeedsIfAny, Tolerance, Trust, Workers
from ackclock.errors import InputError, Stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.evaluation.evaluate import Evaluation
    from ackclock.evaluation.suite import Suite
    from ackclock.evaluation.verdict import Thresholds

__all__ = ["Evaluate"]


@dataclass(frozen=True, kw_only=True)
class Evaluate(Options):
    """Evaluate an algorithm by RFC 9743, tcpeval or RFC 8867; a repeated command resumes."""

    EXAMPLES = (
        "ackclock evaluate bbr3 --quick",
        "ackclock evaluate my_algorithm.py:Gentle",
        "ackclock evaluate bbr3 --against vegas --only short-flows,bufferbloat --quick",
        "ackclock evaluate bbr3 --suite tcpeval --quick",
        "ackclock evaluate nada --suite rmcat",
        "ackclock evaluate bbr3 --quick --attack",
        'ackclock evaluate mine.py:Mine --quick --fail-on "bufferbloat: worse"',
        "ackclock evaluate mine.py:Mine --quick --baseline results/known --tolerance 5%",
    )

    algorithm: Annotated[
        str,
        typer.Argument(metavar="ALGORITHM", help='An algorithm, or a class in a file, as "mine.py:Mine".'),
    ]
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="NAMES",
            help="Algorithms to show next to it; for TCP, Reno and CUBIC are always shown. (default: "
            "rack+reno,cubic,bbr3; for calls nada,gcc,scream2)",
        ),
    ] = None
    only: Annotated[
        str, typer.Option("--only", metavar="KEYS", help="Criteria by their keys. (default: all)")
    ] = ""
    suite: Annotated[
        str | None,
        typer.Option(
            "--suite",
            metavar="SUITE",
            help="rfc9743; tcpeval, the Common TCP Evaluation Suite; or rmcat, the cases of RFC 8867 and RFC "
            "8869. (default: rfc9743, for a congestion control of calls rmcat)",
        ),
    ] = None
    stack: Annotated[
        str | None,
        typer.Option("--stack", metavar="STACK", help="Run the algorithms on this QUIC stack: quinn or noq."),
    ] = None
    quick: Annotated[
        bool, typer.Option("--quick", metavar="", help="Fewer settings, shorter runs, three seeds.")
    ] = False
    attack: Annotated[
        bool,
        typer.Option(
            "--attack",
            metavar="",
            help="Also search the worst path, for its own flows and for standard flows next to it.",
        ),
    ] = False
    seeds: SeedsIfAny = None
    thresholds: Annotated[
        Path | None,
        typer.Option(
            "--thresholds", metavar="FILE", help="A TOML file with other thresholds of the classes."
        ),
    ] = None
    fail_on: Annotated[
        list[str],
        typer.Option(
            "--fail-on",
            metavar="CONDITION",
            help='Exit status 1 if a class is found, as "bufferbloat: worse". May be repeated.',
        ),
    ] = field(default_factory=list)
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline",
            metavar="DIR",
            help="Exit status 1 if a class or a mean is worse than in this evaluation, a folder or JSON.",
        ),
    ] = None
    tolerance: Tolerance = None
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Where results are. (default: results/<name>-evaluation)"
        ),
    ] = None
    cluster: Cluster = None
    workers: Workers = None
    trust: Trust = False
    json: Json = False

    def criteria(self) -> tuple[str, ...]:
        """The criteria that `--only` names; none for all. Raises InputError."""
        keys = listed(self.only)
        if self.only and not keys:
            raise InputError(
                f'--only: found "{self.only}"; expected the keys of criteria, separated by commas'
            )
        return keys

    def earlier(self) -> Callable[[Mapping[str, object], Suite, Sequence[str]], list[str]]:
        """The comparison with the baseline, which is read before the command replaces it.

        Raises InputError.
        """
        from ackclock.evaluation.baseline import read_baseline, regressions
        from ackclock.measures.guards import read_tolerance

        if self.baseline is None:
            if self.tolerance is not None:
                raise InputError("--tolerance is about a baseline: name its folder with --baseline")
            return lambda *_: []
        before = read_baseline(self.baseline, trust=self.trust)
        tolerance = 0.0 if self.tolerance is None else read_tolerance(self.tolerance)
        return lambda now, suite, classes: regressions(now, before, suite.criteria, classes, tolerance)

    def execute(self) -> None:
        """Evaluates the algorithm, prints and saves the outcome; exit status 1 if a condition holds."""
        from ackclock.cli import folders
        from ackclock.cli.commands import evaluate_calls
        from ackclock.evaluation import documents, report
        from ackclock.evaluation.suites import suite_of
        from ackclock.evaluation.verdict import CLASSES, load_thresholds
        from ackclock.report.json_text import dumps
        from ackclock.results_folder import ResultsFolder
        from ackclock.scenarios.algorithms import one_algorithm

        suite = suite_of(self.algorithm, self.suite, trust=self.trust)
        if suite.key == evaluate_calls.SUITE:
            evaluate_calls.execute(self)
            return
        conditions = [condition(text, suite, CLASSES) for text in self.fail_on]
        limits = load_thresholds(self.thresholds)
        against = self.earlier()
        label, _ = one_algorithm(self.algorithm, trust=self.trust)
        folder = folders.resumable(self.output or _default_folder(label, suite.key), report.KIND)
        with ResultsFolder(folder, (report.KIND,), shared=True) as opened:
            done = self._evaluated(folder / folders.STORE, suite.key, limits)
            with reporting():
                report.write(done, opened)
        shown = folders.readable(folder)
        document = documents.as_json(done, shown)
        if self.json:
            print(dumps(document))
        else:
            _print(done, shown)
        failures = against(document, suite, CLASSES)
        found = {judged.criterion.key: judged.verdict for judged in done.judged}
        is_failure = holds_any(conditions, found, CLASSES)
        fail_for(failures)
        if is_failure:
            raise typer.Exit(1)

    def _evaluated(self, store: Path, suite: str, limits: Thresholds) -> Evaluation:
        """The evaluation, with the runs that the store lacked."""
        from ackclock.cli.progress import ProgressBar
        from ackclock.evaluation.evaluate import DEFAULT_AGAINST, evaluate
        from ackclock.evaluation.plan import EvaluationInterrupted
        from ackclock.interrupts import held

        with held() if self.cluster is None else nullcontext(), ProgressBar("Evaluating") as bar:
            try:
                return evaluate(
                    self.algorithm,
                    store,
                    against=DEFAULT_AGAINST if self.against is None else listed(self.against),
                    only=self.criteria(),
                    suite=suite,
                    stack=self.stack,
                    quick=self.quick,
                    seeds=self.seeds,
                    thresholds=limits,
                    attack=self.attack,
                    workers=self.workers,
                    address=self.cluster,
                    trust=self.trust,
                    progress=bar.tell,
                )
            except EvaluationInterrupted as interrupt:
                raise Stopped(f"{interrupt}; the same command goes on from there") from None


def _print(done: Evaluation, folder: str) -> None:
    from ackclock.cli.printed import plain
    from ackclock.cli.terminal import console
    from ackclock.evaluation import report
    from ackclock.report.text import counted

    terminal = console()
    how = f"{counted(len(done.seeds), 'seed')}{', quick' if done.quick else ''}"
    terminal.print(plain(f"{done.label} by the criteria of {done.suite.title}"), style="bold")
    terminal.print(plain(f"beside {', '.join(done.labels[1:])}; {how}"))
    view = report.summary_view(done)
    terminal.print(view.rich())
    terminal.print(plain(view.note), style="dim")
    for path in done.worst_paths:
        terminal.print()
        terminal.print(plain(f"The worst path found for {path.title}"), style="bold")
        terminal.print(plain(path.summary))
        for each in path.changes:
            terminal.print(plain(f"  {each}"))
        if path.holds:
            terminal.print(plain(path.holds))
    terminal.print(f"\nReport   {plain(folder)}/report.html", soft_wrap=True)


def _default_folder(label: str, suite: str) -> Path:
    from ackclock.cli import folders
    from ackclock.evaluation import report
    from ackclock.evaluation.suites import DEFAULT

    return folders.named(label, report.KIND if suite == DEFAULT else suite, "algorithm")
