"""The command `list`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated

import typer

from ackclock.cli import names
from ackclock.cli.command import Options
from ackclock.cli.options import Json
from ackclock.errors import InputError, unknown

__all__ = ["List"]


@dataclass(frozen=True, kw_only=True)
class List(Options):
    """List what scenarios can name, with parameters and sources; scenarios; papers; specifications."""

    EXAMPLES = (
        "ackclock list algorithms",
        "ackclock list queues",
        "ackclock list scenarios web-users",
        "ackclock list papers --json",
    )

    what: Annotated[
        str | None,
        typer.Argument(
            metavar="KIND",
            help="algorithms, media, recoveries, transports, queues, losses, impairments, tunnels, paths, "
            "systems, mechanisms, sharings, applications, adaptations, topologies, scenarios, papers or "
            "specifications. (default: these kinds)",
        ),
    ] = None
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="A scenario, whose file is printed.", autocompletion=names.scenarios
        ),
    ] = None
    json: Json = False

    def execute(self) -> None:
        """Prints the list, or the file of one scenario in it."""
        from ackclock.cli.catalogue import LISTED, show, show_scenario
        from ackclock.report.json_text import dumps

        if self.what is None:
            print(dumps({"command": "list", "kinds": LISTED}) if self.json else "\n".join(LISTED))
            if not self.json:
                print(
                    "ackclock list KIND has the entries of a kind, as: ackclock list queues", file=sys.stderr
                )
            return
        if self.what not in LISTED:
            raise unknown("list", self.what, LISTED)
        if self.name is None:
            show(self.what, as_json=self.json)
        elif self.what == "scenarios":
            show_scenario(self.name, as_json=self.json)
        else:
            raise InputError(f"list {self.what} {self.name}: a name goes with scenarios, whose file is shown")
