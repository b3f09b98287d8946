"""The server of the playground's pages."""

from __future__ import annotations

import errno
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from ackclock.errors import InputError

__all__ = ["HOST", "folder", "server"]

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
