"""The command `attack`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ackclock.cli import names
from ackclock.cli.command import Options
from ackclock.cli.options import Cluster, Json, Trust, Workers
from ackclock.errors import InputError, Stopped

if TYPE_CHECKING:
    from ackclock.attacks.attack import Attack
    from ackclock.attacks.report import Shown

__all__ = ["AttackCommand"]


@dataclass(frozen=True, kw_only=True)
class AttackCommand(Options):
    """Search the path on which an algorithm is worst, and say why; a repeated command resumes."""

    EXAMPLES = (
        "ackclock attack bbr3 --hurt delay",
        "ackclock attack bbr3 --hurt cubic",
        'ackclock attack mine.py:Mine --with cubic --than rack+reno --budget "2 min"',
        "ackclock attack bbr3 copa --differ delay",
        'ackclock attack bbr1 --where "bbr1.loss > 0.1"',
        "ackclock attack bbr3 --break bbr",
    )

    algorithms: Annotated[
        list[str],
        typer.Argument(
            metavar="ALGORITHM",
            help='The algorithm, or two with --differ; also a class in a file, as "mine.py:Mine".',
            autocompletion=names.algorithms,
        ),
    ]
    hurt: Annotated[
        str | None,
        typer.Option(
            "--hurt",
            metavar="WHAT",
            help="goodput, delay, loss, completion, starvation or state of its own flows, or an algorithm "
            "that is harmed. (default: goodput)",
        ),
    ] = None
    company: Annotated[
        str | None,
        typer.Option("--with", metavar="ALGORITHM", help="Share each path with flows of this algorithm."),
    ] = None
    than: Annotated[
        str | None,
        typer.Option(
            "--than",
            metavar="ALGORITHM",
            help="Compare with this algorithm on the same path and seed. (default: with what the path has)",
        ),
    ] = None
    differ: Annotated[
        str | None,
        typer.Option("--differ", metavar="QUANTITY", help="Search where two algorithms differ most."),
    ] = None
    where: Annotated[
        str | None,
        typer.Option(
            "--where",
            metavar="CONDITION",
            help='Search where a condition holds, as "bbr3.goodput < 0.5 * cubic.goodput".',
        ),
    ] = None
    breaks: Annotated[
        str | None,
        typer.Option(
            "--break",
            metavar="SPEC",
            help="Search where a law of this specification is broken, as bbr: see `ackclock conform`.",
        ),
    ] = None
    space: Annotated[
        Path | None,
        typer.Option("--space", metavar="FILE", help="A TOML file with bounds and constraints of the paths."),
    ] = None
    budget: Annotated[
        str,
        typer.Option(
            "--budget",
            metavar="TIME",
            help="The amount of simulation: a second is 1500 simulated seconds, which take a built-in "
            "algorithm about a second of a processor, and a class in Python several.",
        ),
    ] = "1 min"
    findings: Annotated[
        int,
        typer.Option(
            "--findings", metavar="N", min=1, help="Paths to find, each without the changes of those before."
        ),
    ] = 3
    seed: Annotated[
        int, typer.Option("--seed", metavar="S", min=0, help="The seed of the search and of its runs.")
    ] = 1
    seeds: Annotated[
        int, typer.Option("--seeds", metavar="N", min=1, help="Other seeds on which a finding is checked.")
    ] = 10
    fail_below: Annotated[
        float | None,
        typer.Option(
            "--fail-below", metavar="SHARE", help="Exit status 1 if a path leaves less than this share."
        ),
    ] = None
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Where results are. (default: results/<name>-attack)"
        ),
    ] = None
    cluster: Cluster = None
    workers: Workers = None
    trust: Trust = False
    json: Json = False

    def execute(self) -> None:
        """Attacks the algorithm, prints and saves the finding; exit status 1 if it is below the limit."""
        from ackclock.attacks import documents, report
        from ackclock.attacks.attack import Origin, attack_problem, read_budget
        from ackclock.cli import folders
        from ackclock.report.json_text import dumps
        from ackclock.results_folder import ResultsFolder

        if self.fail_below is not None and not 0 < self.fail_below <= 1:
            raise InputError(f"--fail-below: found {self.fail_below:g}; expected a share above 0, at most 1")
        # Wrong options are refused before a message says that a folder is replaced.
        with _named_as_options():
            read_budget(self.budget)
            attack_problem(self.algorithms, **self._question(), origin=Origin(trust=self.trust))
        folder = folders.resumable(self.output or self._default_folder(), report.KIND)
        with ResultsFolder(folder, (report.KIND,), shared=True) as opened:
            done = self._attacked(folder / folders.STORE)
            found = report.write(done, opened)
        shown = folders.readable(folder)
        if self.json:
            print(dumps(documents.as_json(done, shown, found.parted)))
        else:
            _print(done, found, shown)
        if self.fail_below is not None and done.finding is not None and done.share < self.fail_below:
            raise typer.Exit(1)

    def _default_folder(self) -> Path:
        from ackclock.attacks import report
        from ackclock.cli import folders
        from ackclock.scenarios import own_code
        from ackclock.scenarios.algorithms import one_algorithm

        labels = (
            one_algorithm(each, trust=self.trust)[0] if own_code.is_reference(each) else each
            for each in self.algorithms
        )
        return folders.named("-".join(labels), report.KIND, "algorithm")

    def _question(self) -> dict[str, Any]:
        return {
            "hurt": self.hurt,
            "differ": self.differ,
            "where": self.where,
            "breaks": self.breaks,
            "company": self.company,
            "than": self.than,
            "space": self.space,
        }

    def _attacked(self, store: Path) -> Attack:
        """The attack, with the runs that the store lacked."""
        from ackclock.attacks.attack import AttackInterrupted, attack
        from ackclock.cli.progress import ProgressBar
        from ackclock.interrupts import held

        whole = held() if self.cluster is None else nullcontext()
        with whole, _named_as_options(), ProgressBar("Attacking") as bar:
            try:
                return attack(
                    self.algorithms,
                    store,
                    **self._question(),
                    budget=self.budget,
                    findings=self.findings,
                    seed=self.seed,
                    seeds=self.seeds,
                    workers=self.workers,
                    address=self.cluster,
                    trust=self.trust,
                    progress=bar.tell,
                )
            except AttackInterrupted as interrupt:
                raise Stopped(f"{interrupt}; the same command goes on from there") from None


@contextmanager
def _named_as_options() -> Iterator[None]:
    """The arguments in messages have the dashes of options."""
    try:
        yield
    except InputError as error:
        is_option = str(error).startswith(("hurt: ", "differ: ", "break: ", "budget: "))
        raise InputError(f"--{error}" if is_option else str(error)) from None


MULTIPLES = dict.fromkeys(("delay", "completion"), " times what the path has without a queue")
"""The end of a sentence about quantities that are multiples; the others are shares."""


def _print(done: Attack, found: Shown, folder: str) -> None:
    from ackclock.attacks import documents, words
    from ackclock.cli.printed import plain
    from ackclock.cli.terminal import console

    terminal = console()
    terminal.print(plain(f"The worst path found for {done.label}"), style="bold")
    terminal.print(plain(f"Sought: {done.question}."))
    terminal.print(plain(f"{documents.summary(done)}."))
    if done.finding is not None:
        terminal.print()
        for each in words.changes(done.finding.path):
            terminal.print(plain(f"  {each}"))
        terminal.print()
        terminal.print(plain(words.sentence(done.finding)))
        quantity, beside, parted = done.problem.quantity, done.problem.beside, found.parted
        if not (done.problem.is_condition or done.problem.own or done.problem.victim):
            own, its = (found.values[label][quantity] for label in (done.label, beside))
            unit = MULTIPLES.get(quantity, "")
            terminal.print(plain(f"Its {quantity} there: {own:.3g}, and of {beside}: {its:.3g}{unit}."))
        if parted is not None:
            change = "; then change:" if parted.changed else "."
            terminal.print(plain(f"The run parts from that of {beside} at {parted.at_s:.1f} s{change}"))
            for one in parted.changed:
                terminal.print(plain(f"  {one.name}: {one.before:.4g} to {one.after:.4g}"))
        for other in done.findings[1:]:
            left = f"Another leaves {other.share:.2f}: {', '.join(words.changes(other.path))}."
            terminal.print()
            terminal.print(plain(f"{left} {words.sentence(other)}"))
    terminal.print(f"\nReport   {plain(folder)}/report.html", soft_wrap=True)
