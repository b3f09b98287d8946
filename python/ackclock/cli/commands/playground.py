"""The command `playground`."""

from __future__ import annotations

import errno
import sys
import webbrowser
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli.command import Options
from ackclock.errors import InputError

__all__ = ["Playground", "folder", "server"]

HOST = "127.0.0.1"


class Files(SimpleHTTPRequestHandler):
    """Serves files with the types that browsers ask of modules, and prints no line for each."""

    extensions_map = {  # noqa: RUF012 - the base class has a plain dict
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".json": "application/json",
        ".svg": "image/svg+xml",
        ".wasm": "application/wasm",
    }

    def end_headers(self) -> None:
        """A page of another version must not be kept."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Says nothing."""


def folder() -> Path:
    """The folder of the built playground. Raises InputError where it was not built."""
    built = Path(__file__).resolve().parents[2] / "data" / "playground"
    if not (built / "index.html").is_file():
        raise InputError(
            "the playground is not part of this installation: in a clone, `make playground` builds it "
            "(node and Rust are needed); wheels carry it"
        )
    return built


def server(port: int) -> ThreadingHTTPServer:
    """A server of the playground on this machine alone; port 0 takes any that is free. Raises InputError."""
    handler = partial(Files, directory=str(folder()))
    try:
        return ThreadingHTTPServer((HOST, port), handler)
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        reason = "is in use" if error.errno == errno.EADDRINUSE else "is not allowed to this user"
        raise InputError(f"--port: {port} {reason}; leave it out, and a free one is taken") from None


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
        with server(self.port) as serving:
            address = f"http://{HOST}:{serving.server_address[1]}/"
            print(f"The playground is at {address} until Ctrl-C.", flush=True)
            if not self.no_open:
                webbrowser.open(address)
            try:
                serving.serve_forever()
            except KeyboardInterrupt:
                print(file=sys.stderr)
