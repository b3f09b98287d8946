"""Reports and documentation have no serious fault of accessibility, by axe-core in Chromium.

axe-core is taken from where it is installed: node_modules/axe-core (`npm install axe-core`), the package
axe-playwright-python, or the file that AXE_CORE names.
"""

import importlib.util
import json
import os
import re
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import ackclock

REPOSITORY = Path(__file__).resolve().parents[2]
DOCUMENTATION = REPOSITORY / "docs" / "_build" / "html"
PAGES = (
    "index.html",
    "api.html",
    "community.html",
    "gallery.html",
    "league.html",
    "notebooks/bufferbloat.html",
    "algorithms/index.html",
    "results.html",
)
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}


def axe_core() -> Path | None:
    """The file axe.min.js; none if it is not installed."""
    places = [Path(os.environ.get("AXE_CORE", "")), REPOSITORY / "node_modules" / "axe-core" / "axe.min.js"]
    found = importlib.util.find_spec("axe_playwright_python")
    for folder in (found.submodule_search_locations or []) if found else []:
        places += Path(folder).rglob("axe.min.js")
    return next((place for place in places if place.is_file()), None)


def serious(page: Path, chromium: str, folder: Path) -> list[str]:
    """The serious and critical findings in a page: rule, and the elements."""
    axe = axe_core()
    if axe is None:
        pytest.skip("axe-core is not installed: the accessibility of pages is not looked at here")
    ask = (
        f"<script>{axe.read_text(encoding='utf-8')}</script><script>addEventListener('load', () => "
        f"setTimeout(() => axe.run(document, {json.dumps(RULES)}).then((found) => "
        "{ document.documentElement.dataset.axe = JSON.stringify(found.violations); }), 1500));</script>"
    )
    changed = page.with_name(f"{page.stem}-with-axe.html")
    text = re.sub(r'<meta http-equiv="Content-Security-Policy".*?>', "", page.read_text(encoding="utf-8"))
    changed.write_text(text[: text.rindex("</body>")] + ask + "</body></html>", encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom"]
    options += ["--allow-file-access-from-files", f"--user-data-dir={folder}/profile"]
    try:
        done = subprocess.run(
            [chromium, *options, changed.as_uri()], capture_output=True, text=True, timeout=120, check=True
        )
    finally:
        changed.unlink()
    told = re.search(r'data-axe="(.*?)"', done.stdout)
    assert told is not None, "axe-core did not finish"
    violations: list[dict[str, Any]] = json.loads(unescape(told[1]))
    return [
        f"{one['impact']}: {one['id']}: {node['html'][:160]} {[each['message'] for each in node['any']]}"
        for one in violations
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


def test_the_report_of_a_comparison(chromium: str, tmp_path: Path) -> None:
    settings = {"duration": "5 s"}
    race = ackclock.compare(
        ["cubic", "bbr3", "vegas"], "two-megabit", seeds=3, settings=settings, series=True
    )
    assert serious(race.save(tmp_path / "race") / "report.html", chromium, tmp_path) == []


def test_the_report_of_a_run(chromium: str, tmp_path: Path) -> None:
    single = ackclock.replicate("two-megabit", settings={"duration": "5 s"}, series=True)
    assert serious(single.save(tmp_path / "run") / "report.html", chromium, tmp_path) == []


def test_the_report_of_a_sweep(chromium: str, tmp_path: Path) -> None:
    grid = {"tcp.initial_window": ["1 packets", "4 packets"], "tcp.segments_per_ack": [1, 2]}
    plan = {"name": "map", "scenario": "two-megabit", "settings": {"duration": "2 s"}, "grid": grid}
    swept = ackclock.sweep({**plan, "algorithms": ["cubic", "bbr3"], "seeds": 2}, tmp_path / "store")
    assert serious(swept.save(tmp_path / "sweep") / "report.html", chromium, tmp_path) == []


@pytest.mark.parametrize("page", PAGES)
def test_the_documentation(page: str, chromium: str, tmp_path: Path) -> None:
    if not (DOCUMENTATION / page).is_file():
        pytest.skip("the documentation is not built: make docs")
    assert serious(DOCUMENTATION / page, chromium, tmp_path) == []
