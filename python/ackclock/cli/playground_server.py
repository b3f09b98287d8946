"""The server of the playground's pages."""

from __future__ import annotations

import errno
import re
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ackclock.errors import InputError

__all__ = ["HOST", "folder", "server"]

HOST = "127.0.0.1"

POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]+)"')


class Files(SimpleHTTPRequestHandler):
    """Serves the files of a folder, and nothing else, to pages of its own address.

    Another host name in a request is refused: a page elsewhere may give its own name our address. Folders are
    not listed, links not followed.
    """

    extensions_map = {  # noqa: RUF012 - the base class has a plain dict
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".json": "application/json",
        ".svg": "image/svg+xml",
        ".wasm": "application/wasm",
    }
    policy = ""

    def send_head(self) -> Any:
        """The file that was asked for, opened; None after an error was sent."""
        port = self.connection.getsockname()[1]
        if self.headers.get("Host") not in (f"{HOST}:{port}", f"localhost:{port}"):
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
            return None
        if not self._is_plain_file():
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        return super().send_head()

    def _is_plain_file(self) -> bool:
        """True if the path that was asked for is a file of the folder, with no link on the way to it."""
        root = Path(self.directory).resolve()
        asked = root / Path(self.translate_path(self.path)).relative_to(self.directory)
        if asked == root:
            asked = root / "index.html"
        try:
            return asked.resolve() == asked and asked.is_file()
        except (OSError, ValueError):  # a name that no file can have
            return False

    def end_headers(self) -> None:
        """A page of another version must not be kept, nor be shown in another page."""
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Content-Security-Policy", f"{self.policy}; frame-ancestors 'none'")
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
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


def server(port: int, pages: Path | None = None) -> ThreadingHTTPServer:
    """A server of the playground on this machine alone; port 0 takes any that is free. Raises InputError.

    Its answers have the policy that the pages in the folder have.
    """
    pages = pages or folder()
    found = POLICY.search((pages / "index.html").read_text(encoding="utf-8"))
    policy = found[1] if found else "default-src 'self'"
    handler = partial(type("Pages", (Files,), {"policy": policy}), directory=str(pages))
    try:
        return ThreadingHTTPServer((HOST, port), handler)
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        reason = "is in use" if error.errno == errno.EADDRINUSE else "is not allowed to this user"
        raise InputError(f"--port: {port} {reason}; leave it out, and a free one is taken") from None
