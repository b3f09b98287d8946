"""A HAR file becomes the page of a scenario."""

import json
from pathlib import Path
from typing import Any

import pytest

import ackclock
from ackclock.cli.commands.har import Har
from ackclock.errors import InputError
from ackclock.formats import har

HEAD = """name = "imported"
duration = "5 s"
[topology.dumbbell]
bottleneck = { rate = "10 Mbit/s", delay = "10 ms", buffer = "100 packets" }
access = { rate = "100 Mbit/s", delay = "1 ms" }
[[flow]]
"""


def entry(path: str, start_ms: int, wait_ms: int, receive_ms: int, size: int, **more: Any) -> dict[str, Any]:
    mime = more.pop("mime", "application/javascript")
    return {
        "startedDateTime": f"2026-11-28T12:00:00.{start_ms:03}Z",
        "time": wait_ms + receive_ms,
        "request": {"url": f"https://example.org/{path}?secret=1"},
        "response": {"status": more.pop("status", 200), "_transferSize": size, "content": {"mimeType": mime}},
        "timings": {"wait": wait_ms, "receive": receive_ms},
        **more,
    }


def file(folder: Path, *entries: dict[str, Any]) -> Path:
    written = folder / "page.har"
    written.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}))
    return written


PAGE = "https://example.org/index.html?secret=1"


def example(folder: Path) -> Path:
    """A page whose parts mention each other.

    The document arrives from 20 to 60 ms; the style sheet is asked for at its half, and the font 5 ms after
    the style sheet has arrived. A redirect and a response from a cache are no objects.
    """
    sheet = {"type": "parser", "url": "https://example.org/style.css?secret=1"}
    return file(
        folder,
        entry("style.css", 40, 20, 10, 5000, mime="text/css", _priority="VeryHigh", _initiator={"url": PAGE}),
        entry("index.html", 0, 20, 40, 20_000, mime="text/html", _priority="VeryHigh"),
        entry("moved", 10, 20, 0, 300, status=301),
        entry("cached.js", 30, 0, 0, 0),
        entry("body.woff2", 75, 20, 10, 30_000, mime="font/woff2", _priority="High", _initiator=sheet),
    )


def test_sizes_parents_and_times_come_from_the_entries(tmp_path: Path) -> None:
    document, sheet, font = har.page(example(tmp_path))
    assert (document.name, document.size_bytes, document.parent) == ("index.html", 20_000, None)
    assert (sheet.name, sheet.size_bytes, sheet.parent, sheet.urgency) == ("style.css", 5000, None, 0)
    assert sheet.offset_bytes == pytest.approx(10_000, abs=1)
    assert (font.parent, font.offset_bytes, font.urgency, font.visual) == ("style.css", None, 1, True)
    assert font.delay_s == pytest.approx(0.005, abs=1e-6)


def test_a_scenario_runs_the_imported_page(tmp_path: Path) -> None:
    text = HEAD + har.toml(har.page(example(tmp_path)))
    assert "secret" not in text
    run = ackclock.run(ackclock.Scenario.from_toml(text))
    assert run.tables["objects"]["bytes"].to_list() == [20_000, 5000, 30_000]
    assert run.pages["finish_s"].is_finite().all()


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("<html>", "no HAR file"),
        ('{"log": {}}', "log.entries"),
        ('{"log": {"entries": []}}', "found no response"),
        ('{"log": {"entries": [{"startedDateTime": "yesterday"}]}}', "log.entries.0.startedDateTime"),
        ('{"log": {"entries": 3}}', "expected a list"),
    ],
)
def test_another_file_is_refused_with_what_was_expected(tmp_path: Path, data: str, problem: str) -> None:
    path = tmp_path / "page.har"
    path.write_text(data)
    with pytest.raises(InputError, match=problem):
        har.page(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.har: there is no such file"):
        har.page(tmp_path / "none.har")


def test_a_file_that_is_no_har_prints_no_flow(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "lab.json"
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(InputError):
        Har(file=file).execute()
    assert capsys.readouterr().out == ""
