"""The printed outcome of a sweep, for the commands that have one."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from ackclock.cli import folders
from ackclock.cli.printed import fits, plain, tell_where
from ackclock.cli.terminal import console
from ackclock.report.json_text import dumps
from ackclock.report.tables import ROWS_SHOWN
from ackclock.report.text import counted
from ackclock.sweeps import design_views, figures, report
from ackclock.sweeps.sweep import Sweep

__all__ = ["show"]

ROWS_OF_DESIGN = 8
"""The points of a design that are printed: its answer is the effects above them."""


def show(done: Sweep, place: Path, *, as_json: bool) -> None:
    """Prints the outcome of a sweep, as a table or one JSON document, and the paths of its results."""
    folder = folders.readable(place)
    if as_json:
        print(dumps(report.document(done, folder)))
    else:
        _print(done, folder, (place / "report.html").is_file())


def _print(done: Sweep, folder: str, has_report: bool) -> None:
    plan = done.plan
    terminal = console()
    terminal.print(plain(plan.title or plan.name), style="bold")
    known = done.runs.height - done.new_runs
    before = f", {known} of them known before" if known else ""
    runs = counted(done.runs.height, "run")
    if done.runs.height < plan.runs:
        runs = f"{done.runs.height} of {counted(plan.runs, 'run')}"
    terminal.print(
        f"{counted(len(plan.points), 'point')}, {counted(len(plan.algorithms), 'algorithm')}, "
        f"{counted(len(plan.seeds), 'seed')}: {runs}{before}"
    )
    if plan.design is not None:
        _print_design(done, terminal)
    columns = len(figures.main_metrics(done))
    rows = ROWS_SHOWN if plan.design is None else ROWS_OF_DESIGN
    view = report.summary_view(done, rows, has_report=has_report)
    while columns > 1 and not fits(view, terminal):
        columns -= 1
        view = report.summary_view(done, rows, columns, has_report=has_report)
    terminal.print(view.rich())
    if view.note:
        terminal.print(plain(view.note), style="dim")
    tell_where(folder, has_report)


def _print_design(done: Sweep, terminal: Console) -> None:
    """Prints the factors of a design and, if they have two levels, their effects on the first metric."""
    effects = (design_views.effects_view(done, key) for key in figures.main_metrics(done)[:1])
    for view in (design_views.design_view(done.plan), *effects):
        if view is not None:
            terminal.print(view.rich())
            terminal.print(plain(view.note), style="dim")
