"""The command `results`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ackclock.cli.command import Options
from ackclock.cli.options import Json, Trust, Width
from ackclock.errors import InputError

if TYPE_CHECKING:
    from ackclock.runs.result import Comparison

__all__ = ["Results"]


@dataclass(frozen=True, kw_only=True)
class Results(Options):
    """List the results below a folder, or draw those of several folders in one figure."""

    EXAMPLES = (
        "ackclock results",
        "ackclock results results/two-megabit-run results/two-megabit-run-2",
        "ackclock results results/shallow results/deep --plot window --output windows.pdf",
    )

    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR",
            help="Results folders of run or compare, to be drawn together. (default: list those in results/; "
            "those in another folder by --below)",
        ),
    ] = field(default_factory=list)
    below: Annotated[
        Path | None,
        typer.Option("--below", metavar="DIR", help="List the results in this folder. (default: results)"),
    ] = None
    what: Annotated[
        str,
        typer.Option(
            "--plot",
            metavar="WHAT",
            help="A metric, as goodput, or a figure, as window or goodput-against-delay.",
        ),
    ] = "goodput"
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The figure's file, svg, png or pdf. (default: WHAT.svg)"
        ),
    ] = None
    width: Width = None
    trust: Trust = False
    json: Json = False

    def execute(self) -> None:
        """Prints the list, or the table of the folders and the place of their figure."""
        from ackclock.cli import folders

        if self.folders:
            for place in self.folders:
                if folders.command_of(place) is None and folders.listed(place):
                    raise InputError(
                        f"{place}: holds results of several commands; --below {place} lists them"
                    )
            self._draw()
            return
        from ackclock.cli.printed import fits, plain
        from ackclock.cli.terminal import console
        from ackclock.report.json_text import dumps
        from ackclock.report.tables import Cell, View
        from ackclock.report.text import counted

        found = folders.listed(self.below or folders.RESULTS)
        if self.json:
            print(dumps({"command": "results", "results": found}))
            return
        if not found:
            raise InputError(f"{self.below or folders.RESULTS}: there are no results in this folder")
        heads = (("", ""), ("Kind", ""), ("Seeds", ""), ("Made", ""), ("Command", ""))
        keys = ("folder", "what", "seeds", "date", "command")
        rows = tuple(tuple(Cell(str(each[key])) for key in keys) for each in found)
        terminal = console()
        if fits(View("", heads, rows), terminal):
            terminal.print(View("", heads, rows).rich())
            return
        for folder, kind, seeds, date, command in ([cell.text for cell in row] for row in rows):
            made = ", ".join(filter(None, (kind, seeds and counted(int(seeds), "seed"), date)))
            terminal.print(f"[bold]{plain(folder)}[/]  {plain(made)}", soft_wrap=True)
            terminal.print(plain(f"  {command}"), soft_wrap=True)

    def _draw(self) -> None:
        from ackclock.atomic import write_file
        from ackclock.cli.printed import fitting, plain
        from ackclock.cli.terminal import console
        from ackclock.errors import OutputError
        from ackclock.own_files import HOLE, refuse_foreign, sealed
        from ackclock.report import style, tables
        from ackclock.report.figures import describe, image
        from ackclock.report.json_text import dumps

        file = self.output or Path(f"{self.what}.svg")
        style.check_formats([file.suffix.removeprefix(".")])
        style.width_inches(self.width)
        both = self._joined()
        about = describe(both)
        figure = both.plot(self.what, width=self.width)
        drawn = sealed(
            image(figure, file.suffix[1:], {**about, "Description": f"{about['Description']}; {HOLE}"})
        )
        refuse_foreign(file)
        try:
            write_file(file, drawn)
        except OSError as error:
            raise OutputError(f"{file}: cannot be written: {error.strerror}") from None
        if self.json:
            print(dumps({"command": "results", "figure": str(file), "summary": both.summary.to_dicts()}))
            return
        terminal = console()
        for table in fitting(tables.summary_view(both), terminal):
            terminal.print(table)
        terminal.print(f"Figure  {plain(str(file))}", soft_wrap=True)

    def _joined(self) -> Comparison:
        from ackclock.runs.joined import joined
        from ackclock.runs.saved import load

        named = {folder.resolve().name: folder for folder in self.folders}
        if len(named) < len(self.folders):
            named = {str(folder): folder for folder in self.folders}
        return joined({name: load(folder, trust=self.trust) for name, folder in named.items()})
