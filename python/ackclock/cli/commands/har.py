"""The command `har`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli.command import Options

__all__ = ["Har"]


@dataclass(frozen=True, kw_only=True)
class Har(Options):
    """Turn a HAR file, in which a browser records the loading of a page, into the page of a flow."""

    EXAMPLES = ("ackclock har front-page.har >> scenario.toml",)

    file: Annotated[Path, typer.Argument(metavar="FILE", help="A HAR file, as browsers export it.")]

    def execute(self) -> None:
        """Prints a `[[flow]]` with the objects of the page."""
        from ackclock.formats import har

        page = har.toml(har.page(self.file))
        print('[[flow]]\nname = "user"\nhttp = "2"\n')
        print(page, end="")
