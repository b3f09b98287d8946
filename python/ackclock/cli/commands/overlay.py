"""The command `overlay`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli.command import Options
from ackclock.cli.options import Redrawing, Trust
from ackclock.errors import InputError

__all__ = ["Overlay"]


REPORT = "report.html"
"""The page of a results folder, which shows the measurements too."""


SECONDS = {"": 1.0, "ms": 1e-3, "s": 1.0, "min": 60.0}


def _seconds(text: str) -> float:
    """Raises InputError for what is no time."""
    found = re.fullmatch(r"\s*([+-]?\d*\.?\d+)\s*(ms|s|min|)\s*", text)
    if found is None:
        raise InputError(f'--shift: found "{text}"; expected a time, as "-5 s" or "200 ms"')
    return float(found[1]) * SECONDS[found[2]]


@dataclass(frozen=True, kw_only=True)
class Overlay(Options):
    """Draw measurements over the curves of runs, and compare their means, without a simulation."""

    EXAMPLES = (
        "ackclock overlay results/two-megabit-run measured.json",
        "ackclock overlay results/two-megabit-compare tcp_nup-2026.flent.gz ss.log --shift '-5 s'",
    )

    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A results folder of run or compare.")]
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            help="Files of Flent (.flent.gz), the JSON of iperf3 --json, or logs of ss -ti with times.",
        ),
    ]
    shift: Annotated[
        str,
        typer.Option(
            "--shift",
            metavar="TIME",
            help="Add this to the times of the measurements; seconds without a unit.",
        ),
    ] = "0 s"
    drawing: Redrawing
    trust: Trust = False

    def execute(self) -> None:
        """Adds figures/measured-<quantity>.<format> and tables/measured.parquet to a results folder."""
        import polars as pl

        from ackclock import formats
        from ackclock.cli.folders import readable
        from ackclock.cli.printed import fitting, plain
        from ackclock.cli.terminal import console
        from ackclock.report import overlay, style
        from ackclock.report.figures import describe, image
        from ackclock.results_folder import ResultsFolder, listed, read_file
        from ackclock.runs.result import KINDS
        from ackclock.runs.saved import load

        style.check_formats(self.drawing.figure_formats)
        style.width_inches(self.drawing.width)
        shift_s = _seconds(self.shift)
        measured = {path.name: formats.read(path).shifted(shift_s) for path in self.files}
        comparison = load(self.folder, trust=self.trust)
        figures = overlay.draw(comparison, measured, self.drawing.width)
        about = describe(comparison)
        with ResultsFolder(self.folder, KINDS, adds=True) as opened:
            for name, figure in figures.items():
                for kind in self.drawing.figure_formats:
                    opened.write_bytes(f"figures/{name}.{kind}", image(figure, kind, about))
            tables = [
                each.series.select(pl.lit(name).alias("file"), pl.all()) for name, each in measured.items()
            ]
            opened.write_table("measured", pl.concat(tables))
            if REPORT in listed(self.folder):
                page = read_file(self.folder, REPORT, trust=self.trust).decode()
                opened.write_text(REPORT, overlay.in_page(page, comparison, measured, about))
            path = opened.commit()
        terminal = console()
        for name, each in measured.items():
            flows = ", ".join(f"{number} is {flow}" for number, flow in enumerate(each.flows, start=1))
            terminal.print(plain(f"{name}, by {each.program}: flow {flows}"), soft_wrap=True)
        for table in fitting(overlay.view(comparison, measured), terminal):
            terminal.print(table)
        terminal.print(f"Figures  {plain(readable(path))}/figures/measured-*", soft_wrap=True)
        if REPORT in listed(path):
            terminal.print(f"Report   {plain(readable(path))}/{REPORT}", soft_wrap=True)
