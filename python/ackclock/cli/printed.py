"""The output of commands: texts of others unchanged, tables that fit the terminal, paths of results."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from ackclock.cli.terminal import console
from ackclock.report import tables
from ackclock.report.text import for_terminal

__all__ = ["fits", "fitting", "plain", "tell_where"]


def plain(text: str) -> str:
    """The text unchanged, safe from Rich's markup and without control characters."""
    return escape(for_terminal(text))


def fits(view: tables.View, terminal: Console) -> bool:
    """True if the table is no wider than the terminal, without line breaks."""
    return (
        Measurement.get(terminal, terminal.options.update(max_width=10_000), view.rich()).maximum
        <= terminal.width
    )


def fitting(view: tables.View, terminal: Console) -> list[Table]:
    """The table if it fits the width; else with rows and columns exchanged if that fits.

    Else split into several tables.
    """
    turned = view.transposed()
    for whole in (view, turned):
        if fits(whole, terminal):
            return [whole.rich()]
    return min((_pieces(view, terminal), _pieces(turned, terminal)), key=len)


def _pieces(view: tables.View, terminal: Console) -> list[Table]:
    """The columns, split into as many tables as the width requires, each with the names of the rows."""
    found: list[list[int]] = [[]]
    for column in range(1, len(view.columns)):
        if found[-1] and not fits(view.part([*found[-1], column]), terminal):
            found.append([])
        found[-1].append(column)
    first, *others = (view.part(columns) for columns in found)
    return [first.rich(), *(replace(other, title="").rich() for other in others)]


def tell_where(folder: str, has_report: bool) -> None:
    """Prints the paths of the report, the tables and the figures in a results folder."""
    terminal = console()
    has_figures = (Path(folder) / "figures").is_dir()
    folder = plain(folder)
    if has_report:
        terminal.print(f"\nReport   {folder}/report.html", soft_wrap=True)
        terminal.print(f"Tables   {folder}/tables/", soft_wrap=True)
        figures = f"{folder}/figures/" if has_figures else f"ackclock figures {shlex.quote(folder)}"
        terminal.print(f"Figures  {figures}", soft_wrap=True)
    else:
        terminal.print(f"\nTables   {folder}/tables/", soft_wrap=True)
