"""The command `merge`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli.command import Options
from ackclock.cli.options import Drawing, Json, NoReport, Trust

__all__ = ["Merge"]


@dataclass(frozen=True, kw_only=True)
class Merge(Options):
    """Join the parts of a sweep that `sweep --shard` made: the tables are those of the whole sweep."""

    EXAMPLES = (
        "ackclock merge buffers.toml results/buffers-sweep-*-of-40",
        "ackclock merge buffers.toml part-1 part-2 --output results/buffers",
    )

    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan of all parts.")]
    parts: Annotated[list[Path], typer.Argument(metavar="DIR", help="The results folders of the parts.")]
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Where results are. (default: results/<name>-sweep)"
        ),
    ] = None
    no_report: NoReport = False
    drawing: Drawing
    trust: Trust = False
    json: Json = False

    def execute(self) -> None:
        """Copies the runs of all parts into one store, prints and saves them."""
        from ackclock.cli import folders, swept
        from ackclock.report import style
        from ackclock.results_folder import ResultsFolder
        from ackclock.sweeps import report
        from ackclock.sweeps.plan import load_plan
        from ackclock.sweeps.sweep import merge

        style.check_formats(self.drawing.figure_formats)
        style.width_inches(self.drawing.width)
        plan = load_plan(self.plan, trust=self.trust)
        folder = folders.resumable(self.output or folders.RESULTS / f"{plan.name}-sweep", report.KIND)
        formats, width = report.asked_before(folder)
        formats, width = self.drawing.figure_formats or formats, self.drawing.width or width
        with ResultsFolder(folder, (report.KIND,), shared=True) as opened:
            stores = [part / folders.STORE for part in self.parts]
            done = merge(plan, folder / folders.STORE, stores, trust=self.trust)
            report.write_tables(done, opened, formats, width)
            if not self.no_report:
                report.write_report(done, opened, formats, width)
        swept.show(done, folder, as_json=self.json)
