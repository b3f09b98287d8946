"""The playground's server: its own host name alone, no links, no lists of folders, policies in headers."""

import http.client
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ackclock.cli import playground_server as playground

PAGE = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    pages = tmp_path / "pages"
    (pages / "src").mkdir(parents=True)
    (pages / "index.html").write_text(PAGE)
    (pages / "src" / "play.js").write_text("play()")
    (tmp_path / "secret").write_text("secret")
    (pages / "link.txt").symlink_to(tmp_path / "secret")
    (pages / "folder").symlink_to(tmp_path)
    (pages / "src" / "also").symlink_to(pages / "src")
    with playground.server(0, pages) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        yield serving.server_address[1]
        serving.shutdown()
        thread.join()


def answer(port: int, path: str, host: str | None = None, method: str = "GET") -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest(method, path, skip_host=True)
    if host != "":
        connection.putheader("Host", host or f"127.0.0.1:{port}")
    connection.endheaders()
    found = connection.getresponse()
    found.read()
    connection.close()
    return found


def test_its_own_host_name_alone_is_answered(port: int) -> None:
    own = [answer(port, "/", name).status for name in (f"127.0.0.1:{port}", f"localhost:{port}")]
    assert own == [200, 200]
    others = (
        "evil.example",
        f"evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        f"127.0.0.1:{port}.evil",
        "",
    )
    assert [answer(port, "/", name).status for name in others] == [421] * len(others)


@pytest.mark.parametrize(
    "path",
    [
        "/link.txt", "/folder/secret", "/src/also/play.js", "/src/", "/src", "/../secret", "/%2e%2e/secret",
        "//etc/passwd", "/nothing.html", "/index.html/", "/src/play.js%00.html",
    ],
)  # fmt: skip
def test_links_are_not_followed_and_folders_not_listed(port: int, path: str) -> None:
    assert answer(port, path).status == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_files_are_only_read(port: int, method: str) -> None:
    assert answer(port, "/", method=method).status == 501


def test_every_answer_has_the_policy_of_the_pages(port: int) -> None:
    for path in ("/", "/src/play.js", "/nothing"):
        found = answer(port, path)
        assert found.headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
        assert found.headers["X-Content-Type-Options"] == "nosniff"
        assert found.headers["Referrer-Policy"] == "no-referrer"
