"""The command `figures`: figures of results that are there already."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ackclock.cli.folders import readable
from ackclock.cli.run import plain
from ackclock.cli.terminal import console
from ackclock.report import figures, style
from ackclock.results_folder import ResultsFolder
from ackclock.runs.result import KINDS, check_formats
from ackclock.runs.saved import load

__all__ = ["drawing"]


def drawing(folder: Path, formats: Sequence[str], width: str | None) -> None:
    """Adds figures/<name>.<format> to a results folder, in place of those of the same name."""
    check_formats(formats)
    style.width_inches(width)
    comparison = load(folder)
    with ResultsFolder(folder, KINDS, adds=True) as opened:
        figures.FigureProcess(comparison, formats, width).write(opened)
        path = opened.commit()
    console().print(f"Figures  {plain(readable(path))}/figures/", soft_wrap=True)
