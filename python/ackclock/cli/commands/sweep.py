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
    from ackclock.cli.progress import ProgressBar
    from ackclock.results_folder import ResultsFolder
    from ackclock.sweeps.plan import Plan
    from ackclock.sweeps.sweep import Sweep as Done

__all__ = ["Sweep"]


@dataclass(frozen=True, kw_only=True)
class Sweep(Options):
    """Run a grid of settings with several algorithms and seeds; a repeated command resumes."""

    EXAMPLES = (
        "ackclock sweep buffers.toml",
        "ackclock sweep buffers.toml --output results/buffers --workers 2",
        "ackclock sweep buffers.toml --cluster tcp://scheduler:8786",
        "ackclock sweep buffers.toml --shard 3/40",
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
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            metavar="I/N",
            help="Run only this part of the runs, as 3/40, without a report; ackclock merge joins parts.",
        ),
    ] = None
    no_report: NoReport = False
    drawing: Drawing
    workers: Workers = None
    trust: Trust = False
    json: Json = False

    def execute(self) -> None:
        """Runs the missing runs of the plan, prints and saves all of them."""
        from ackclock.cli import folders, swept
        from ackclock.cli.progress import ProgressBar
        from ackclock.errors import Stopped
        from ackclock.report import style
        from ackclock.results_folder import ResultsFolder
        from ackclock.sweeps import report
        from ackclock.sweeps.plan import load_plan
        from ackclock.sweeps.shards import Shard

        style.check_formats(self.drawing.figure_formats)
        style.width_inches(self.drawing.width)
        part = "" if self.shard is None else Shard.read(self.shard).name
        plan = load_plan(self.plan, trust=self.trust)
        folder = folders.resumable(self.output or folders.RESULTS / f"{plan.name}-sweep{part}", report.KIND)
        formats, width = report.asked_before(folder)
        drawn = (self.drawing.figure_formats or formats, self.drawing.width or width)
        with ResultsFolder(folder, (report.KIND,), shared=True) as opened:
            with ProgressBar("Sweeping") as bar:
                done, stopped = self._completed(plan, folder, opened, bar, drawn)
            if not (self.no_report or self.shard or stopped):
                try:
                    report.write_report(done, opened, *drawn)
                except KeyboardInterrupt:
                    stopped = "there is no report, but all runs are finished and their tables are saved"
        swept.show(done, folder, as_json=self.json)
        if stopped:
            raise Stopped(f"interrupted: {stopped}")

    def _completed(
        self,
        plan: Plan,
        folder: Path,
        opened: ResultsFolder,
        bar: ProgressBar,
        drawn: tuple[list[str], float | str | None],
    ) -> tuple[Done, str]:
        """The sweep with its missing runs and its tables, and a message if Ctrl-C interrupted it."""
        from ackclock.cli import folders
        from ackclock.errors import Stopped
        from ackclock.interrupts import held
        from ackclock.sweeps import report
        from ackclock.sweeps.sweep import SweepInterrupted, sweep

        stopped = ""
        # A command that waits for work on a cluster does not look at the finished runs.
        with held() if self.cluster is None else nullcontext():
            try:
                done = sweep(
                    plan,
                    folder / folders.STORE,
                    shard=self.shard,
                    workers=self.workers,
                    address=self.cluster,
                    trust=self.trust,
                    progress=bar.tell,
                )
            except SweepInterrupted as interrupt:
                done = interrupt.partial
                of_all = f" of {plan.runs}" if self.shard is None else ""
                there = f"{done.runs.height}{of_all} runs are finished"
                stopped = f"{there}; the same command goes on from there"
            if not done.runs.height:
                raise Stopped("interrupted before any run was finished")
            with held():
                report.write_tables(done, opened, *drawn)
        return done, stopped
