"""The commands `ackclock playground`, which serves the pages, and `ackclock digest`, which checks results."""

from __future__ import annotations

import errno
import sys
import webbrowser
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Annotated

import typer

from ackclock.cli.options import Settings, settings_of
from ackclock.errors import InputError

__all__ = ["digest", "folder", "playground", "server"]

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
    built = Path(__file__).resolve().parents[1] / "data" / "playground"
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


def playground(
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
    ] = 0,
    no_open: Annotated[
        bool, typer.Option("--no-open", metavar="", help="Do not open the browser: print the address alone.")
    ] = False,
) -> None:
    """Open the playground: the simulator in the browser, with sliders, plots, an editor and lessons."""
    with server(port) as serving:
        address = f"http://{HOST}:{serving.server_address[1]}/"
        print(f"The playground is at {address} until Ctrl-C.", flush=True)
        if not no_open:
            webbrowser.open(address)
        try:
            serving.serve_forever()
        except KeyboardInterrupt:
            print(file=sys.stderr)


def digest(
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO", help="A built-in scenario's name, a TOML file, or - for standard input."
        ),
    ],
    settings: Settings = None,
) -> None:
    """Run a scenario and print the digest of its tables, which is the same on every machine."""
    from ackclock import _native  # noqa: PLC0415 - help appears at once
    from ackclock.scenarios.load import load_scenario  # noqa: PLC0415

    chosen = load_scenario(scenario, settings_of(settings or [], None))
    print(f"{_native.run(chosen).digest:016x}")
