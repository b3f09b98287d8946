"""The command `playground`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated

import typer

from ackclock.cli.command import Options

__all__ = ["Playground"]


@dataclass(frozen=True, kw_only=True)
class Playground(Options):
    """Open the playground: the simulator in the browser, with sliders, plots, an editor and lessons."""

    EXAMPLES = ("ackclock playground", "ackclock playground --no-open --port 8000")

    port: Annotated[
        int,
        typer.Option(
            "--port",
            metavar="PORT",
            min=0,
            max=65535,
            show_default=False,
            help="The port. (default: a free one)",
        ),
    ] = 0
    no_open: Annotated[
        bool, typer.Option("--no-open", metavar="", help="Do not open the browser: print the address alone.")
    ] = False

    def execute(self) -> None:
        """Serves the pages until Ctrl-C."""
        import webbrowser

        from ackclock.cli.playground_server import HOST, server

        with server(self.port) as serving:
            address = f"http://{HOST}:{serving.server_address[1]}/"
            print(f"The playground is at {address} until Ctrl-C.", flush=True)
            if not self.no_open:
                webbrowser.open(address)
            try:
                serving.serve_forever()
            except KeyboardInterrupt:
                print(file=sys.stderr)
