"""The site: every page leads to the front page, and a link of the front page that leads nowhere fails."""

import json
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

SITE = Path(__file__).resolve().parents[2] / "docs" / "site"
main = runpy.run_path(str(SITE / "__main__.py"))["main"]

PAGES = (
    "index",
    "install",
    "course",
    "league",
    "playground",
    "search",
    "from-ns-3",
    "gallery",
    "papers",
    "evaluation",
    "api",
    "rust",
)


@pytest.fixture
def html(tmp_path: Path) -> Path:
    made = tmp_path / "html"
    names = [f"{name}.html" for name in (*PAGES, "comparisons/which-algorithm", "notebooks/bufferbloat")]
    for name in names:
        page = made / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text('<div><a class="sidebar-brand" href="x">Ackclock</a></div>', encoding="utf-8")
    picture = made / "_images" / "bufferbloat.svg"
    picture.parent.mkdir()
    picture.touch()
    return made


def test_every_page_leads_to_the_front_page(html: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    assert main([str(html), str(site)]) == 0
    for page, front in (
        ("install.html", "../index.html"),
        ("comparisons/which-algorithm.html", "../../index.html"),
    ):
        text = (site / "docs" / page).read_text(encoding="utf-8")
        assert f'<a class="front-page" href="{front}">' in text
    front_page = (site / "index.html").read_text(encoding="utf-8")
    assert '<form class="search" action="docs/search.html"' in front_page
    assert 'href="docs/course.html"><h2>Teach' in front_page


def test_a_link_that_leads_nowhere_fails(
    html: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (html / "search.html").unlink()
    assert main([str(html), str(tmp_path / "site")]) == 1
    assert "docs/search.html: there is no such page" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("sought", "page"),
    [
        ("RFC 9743", "evaluation.md"),
        ("own algorithm", "your-own-congestion-control.md"),
        ("seed", "randomness.md"),
        ("which queue", "slow-link.md"),
        ("which queue", "queues.md"),
        ("LTE", "notebooks/lte.ipynb"),
        ("which algorithm hurts a call", "calls.md"),
        ("units of columns", "results.md"),
        ("regression", "evaluation.md"),
    ],
)
def test_what_readers_seek_is_a_main_entry_of_its_page(sought: str, page: str) -> None:
    """A search shows pages with a main entry of the words first; others score equally, by the alphabet."""
    text = (SITE.parent / page).read_text(encoding="utf-8")
    listed = json.loads(text)["metadata"]["ackclock"]["sought"] if page.endswith("ipynb") else []
    for line in text.splitlines():
        if line.startswith("```{index}"):
            listed += [
                entry.strip().removeprefix("! ") for entry in line.removeprefix("```{index}").split(",")
            ]
    assert sought in listed


SCORE = """
globalThis.location = { search: "?q=LTE" };
const found = [
  ["elephants.multistage_filter", 11, "object"], ["LTE links", 5, "text"], ["A cellular link", 5, "text"],
];
const scored = found.map(([title, score, kind]) => Scorer.score(["", title, "", "", score, "", kind]));
console.log(JSON.stringify(scored));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_a_search_shows_whole_words_first() -> None:
    """The first page for LTE was that of a fi-LTE-r."""
    scorer = (SITE.parent / "search-scorer.js").read_text(encoding="utf-8")
    told = subprocess.run(["node", "-e", scorer + SCORE], capture_output=True, text=True, check=True)
    within, whole, text = json.loads(told.stdout)
    assert whole > text > within


SUGGEST = """
const known = new Set(["bufferbloat", "cubic", "in", "cellular"]);
const of = (query) => suggestions.nearest(query, known, ["starvat", "restart", "cubic"]);
console.log(JSON.stringify(["bufferbloaf", "cubci in celular", "starvtion", "zebra"].map(of)));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_a_search_that_finds_nothing_suggests_the_nearest_words() -> None:
    """A word of the text is known by its stem alone."""
    code = (SITE.parent / "_static" / "suggestions.js").read_text(encoding="utf-8")
    code = "globalThis.document = { addEventListener() {} };\n" + code
    told = subprocess.run(["node", "-e", code + SUGGEST], capture_output=True, text=True, check=True)
    assert json.loads(told.stdout) == ["bufferbloat", "cubic in cellular", "starvat", ""]
