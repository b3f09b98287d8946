"""The command `figures`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli.command import Options
from ackclock.cli.options import Redrawing, Trust

__all__ = ["Figures"]


@dataclass(frozen=True, kw_only=True)
class Figures(Options):
    """Draw the figures of results for paper and slides, into their folder, without a simulation."""

    EXAMPLES = (
        "ackclock figures results/two-megabit-compare",
        "ackclock figures results/race --figure-format pdf --width ieee-column",
    )

    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A results folder of run or compare.")]
    drawing: Redrawing
    trust: Trust = False

    def execute(self) -> None:
        """Adds figures/<name>.<format> to a results folder, instead of those of the same name."""
        from ackclock.cli.folders import readable
        from ackclock.cli.printed import plain
        from ackclock.cli.terminal import console
        from ackclock.report import figures, style
        from ackclock.results_folder import ResultsFolder
        from ackclock.runs.result import KINDS
        from ackclock.runs.saved import load

        style.check_formats(self.drawing.figure_formats)
        style.width_inches(self.drawing.width)
        comparison = load(self.folder, trust=self.trust)
        with ResultsFolder(self.folder, KINDS, adds=True) as opened:
            figures.FigureProcess(comparison, self.drawing.figure_formats, self.drawing.width).write(opened)
            path = opened.commit()
        console().print(f"Figures  {plain(readable(path))}/figures/", soft_wrap=True)
