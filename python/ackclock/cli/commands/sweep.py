"""The command `sweep`."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ackclock.cli.command import Options
from ackclock.cli.options import Cluster, Drawing, Json, NoReport, Trust, Workers

if TYPE_CHECKING:
    from rich.console import Console

    from ackclock.cli.progress import ProgressBar
    from ackclock.results_folder import ResultsFolder
    from ackclock.sweeps.plan import Plan
    from ackclock.sweeps.sweep import Sweep as Done

__all__ = ["Sweep"]

ROWS_OF_DESIGN = 8
"""The points of a design that are printed: its answer is the effects above them."""


@dataclass(frozen=True, kw_only=True)
class Sweep(Options):
    """Run a grid of settings with several algorithms and seeds; a repeated command resumes."""

    EXAMPLES = (
        "ackclock sweep buffers.toml",
        "ackclock sweep buffers.toml --output results/buffers --workers 2",
        "ackclock sweep buffers.toml --cluster tcp://scheduler:8786",
    )

    plan: Annotated[
        Path, typer.Argument(metavar="PLAN", help="A TOML file: scenario, grid, algorithms, seeds.")
    ]
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Where results are, and are added to. (default: results/<name>-sweep)",
        ),
    ] = None
    cluster: Cluster = None
    no_report: NoReport = False
    drawing: Drawing
    workers: Workers = None
    trust: Trust = False
    json: Json = False

    def execute(self) -> None:
        """Runs the missing runs of the plan, prints and saves all of them."""
        from ackclock.cli import folders
        from ackclock.cli.progress import ProgressBar
        from ackclock.errors import Stopped
        from ackclock.report import style
        from ackclock.report.json_text import dumps
        from ackclock.results_folder import ResultsFolder
        from ackclock.sweeps import report
        from ackclock.sweeps.plan import load_plan

        formats = self.drawing.figure_formats or ["svg"]
        style.check_formats(formats)
        style.width_inches(self.drawing.width)
        plan = load_plan(self.plan, trust=self.trust)
        folder = folders.resumable(self.output or folders.RESULTS / f"{plan.name}-sweep", report.KIND)
        with ResultsFolder(folder, (report.KIND,), shared=True) as opened:
            with ProgressBar("Sweeping") as bar:
                done, stopped = self._completed(plan, folder, opened, bar)
            if not self.no_report and not stopped:
                try:
                    report.write_report(done, opened, formats, self.drawing.width)
                except KeyboardInterrupt:
                    stopped = "there is no report, but all runs are finished and their tables are saved"
        shown = folders.readable(folder)
        if self.json:
            print(dumps(report.document(done, shown)))
        else:
            _print(done, shown, (folder / "report.html").is_file())
        if stopped:
            raise Stopped(f"interrupted: {stopped}")

    def _completed(
        self, plan: Plan, folder: Path, opened: ResultsFolder, bar: ProgressBar
    ) -> tuple[Done, str]:
        """The sweep with its missing runs and its tables, and a message if Ctrl-C interrupted it."""
        from ackclock.cli import folders
        from ackclock.errors import Stopped
        from ackclock.interrupts import held
        from ackclock.sweeps import report
        from ackclock.sweeps.sweep import SweepInterrupted, sweep

        stopped = ""
        # Work on a cluster is waited for without a look at what is held.
        with held() if self.cluster is None else nullcontext():
            try:
                done = sweep(
                    plan,
                    folder / folders.STORE,
                    workers=self.workers,
                    address=self.cluster,
                    trust=self.trust,
                    progress=bar.tell,
                )
            except SweepInterrupted as interrupt:
                done = interrupt.partial
                there = f"{done.runs.height} of {plan.runs} runs are finished"
                stopped = f"{there}; the same command goes on from there"
            if not done.runs.height:
                raise Stopped("interrupted before any run was finished")
            with held():
                report.write_tables(done, opened)
        return done, stopped


def _print(done: Done, folder: str, has_report: bool) -> None:
    from ackclock.cli.printed import fits, plain, tell_where
    from ackclock.cli.terminal import console
    from ackclock.report.tables import ROWS_SHOWN
    from ackclock.report.text import counted
    from ackclock.sweeps import figures, report

    plan = done.plan
    terminal = console()
    terminal.print(plain(plan.title or plan.name), style="bold")
    known = done.runs.height - done.new_runs
    before = f", {known} of them known before" if known else ""
    terminal.print(
        f"{counted(len(plan.points), 'point')}, {counted(len(plan.algorithms), 'algorithm')}, "
        f"{counted(len(plan.seeds), 'seed')}: {counted(done.runs.height, 'run')}{before}"
    )
    if plan.design is not None:
        _print_design(done, terminal)
    columns = len(figures.main_metrics(done))
    rows = ROWS_SHOWN if plan.design is None else ROWS_OF_DESIGN
    view = report.summary_view(done, rows)
    while columns > 1 and not fits(view, terminal):
        columns -= 1
        view = report.summary_view(done, rows, columns)
    terminal.print(view.rich())
    if view.note:
        terminal.print(plain(view.note), style="dim")
    tell_where(folder, has_report)


def _print_design(done: Done, terminal: Console) -> None:
    """Prints the factors of a design and, of two levels, their effects on the first metric."""
    from ackclock.cli.printed import plain
    from ackclock.sweeps import design_views, figures

    effects = (design_views.effects_view(done, key) for key in figures.main_metrics(done)[:1])
    for view in (design_views.design_view(done.plan), *effects):
        if view is not None:
            terminal.print(view.rich())
            terminal.print(plain(view.note), style="dim")
