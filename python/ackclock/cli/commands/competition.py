"""The command `competition`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli.command import Options
from ackclock.errors import InputError, Stopped

__all__ = ["CompetitionCommand"]


@dataclass(frozen=True, kw_only=True)
class CompetitionCommand(Options):
    """Draw a seed for a competition of classes in Python, or run them on the paths that it draws."""

    EXAMPLES = (
        "ackclock competition",
        "ackclock competition classes/ --seed 2738011924263440837 --output board.html",
        "ackclock competition --seed 2738011924263440837",
    )

    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="FOLDER",
            help="The files, of one class each. Without it, a seed is drawn, or --seed is taken, and its "
            "checksum printed.",
        ),
    ] = None
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="The seed that was kept.")] = None
    paths: Annotated[int, typer.Option("--paths", metavar="N", help="How many paths.")] = 20
    scenario: Annotated[
        str, typer.Option("--scenario", metavar="SCENARIO", help="A scenario that draws its paths.")
    ] = "drawn-paths"
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="The title of the board.")] = (
        "Competition"
    )
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where the board is.")] = (
        Path("board.html")
    )

    def execute(self) -> None:
        """Prints a seed, or the scores, and writes the board."""
        from ackclock.cli.progress import ProgressBar
        from ackclock.evaluation import competition

        if self.folder is None:
            seed = competition.draw() if self.seed is None else self.seed
            print(f"keep:    {seed}\npublish: {competition.checksum(seed)}")
            return
        if self.seed is None:
            raise InputError("--seed is missing: that of the paths, which `ackclock competition` has drawn")
        seeds = competition.paths_of(self.scenario, self.seed, self.paths)
        field = competition.contenders(self.folder)
        competition.check_place(self.output)
        try:
            with ProgressBar("Competing") as bar:
                drawn = competition.run_all(self.scenario, seeds, field, bar.tell)
        except KeyboardInterrupt:
            raise Stopped("interrupted; no board was written") from None
        page = competition.board(self.title, self.seed, self.scenario, field, drawn, len(seeds))
        competition.write(page, self.output)
        for each in sorted(field, key=lambda one: -one.score):
            print(f"{each.score:.3f}  {each.name}{f'  ({each.failed})' if each.failed else ''}")
        print(f"The board: {self.output}")
        if len(drawn) < len(seeds):
            raise Stopped(
                f"interrupted: {len(drawn)} of {len(seeds)} paths were finished and are on the board"
            )
