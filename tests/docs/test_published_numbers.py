"""Each algorithm's page names a number of others that it was held to, or says where one was looked for."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from ackclock import papers
from ackclock.papers.statements import Statement

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "algorithms").glob("*/*.md"))
LEAST = 40
"""Pages that name one."""

KEYS = {entry.key for entry in papers.list_papers()}


def line(page: Path) -> str:
    """The paragraph of the page's section "Source" that says it."""
    source = page.read_text(encoding="utf-8").split("\n## Source\n")[1].split("\n## ")[0]
    found = re.findall(r"^\*(?:Held to|Looked for)\*: (?:.+\n?)+", source, re.MULTILINE)
    assert len(found) == 1, f'{page.name}: one paragraph "*Held to*: .." or "*Looked for*: .." under "Source"'
    return " ".join(found[0].split())


@cache
def statements(key: str) -> Sequence[Statement]:
    """The statements of a paper, with the verdicts on what is published."""
    return papers.judged_again(
        papers.load_paper(key), ROOT / "published" / "papers" / key, trust=True
    ).statements


def named(text: str) -> tuple[list[str], list[str]]:
    """The claims and the files that a line names."""
    tokens = re.findall(r"`([^`]+)`", text)
    claims = [token for token in tokens if token.split("/")[0] in KEYS]
    return claims, [token for token in tokens if re.search(r"\.(rs|py|pkt|csv)\b", token)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_what_the_line_names_is_there_and_holds(page: Path) -> None:
    text = line(page)
    claims, files = named(text)
    for claim in claims:
        key, name = claim.split("/")
        (statement,) = [one for one in statements(key) if one.id == name]
        outcomes = {statement.verdict, *(one.verdict for one in statement.verdicts)}
        assert "reproduced" in outcomes, f"{claim}: {statement.finding}"
    for file in files:
        path, _, function = file.partition("::")
        assert (ROOT / path).is_file(), file
        assert (
            re.search(rf"\b(fn|def) {function}\b", (ROOT / path).read_text(encoding="utf-8")) or not function
        ), file
    if text.startswith("*Held to*"):
        assert claims or files
        assert re.search(r"\d", re.sub(r"`[^`]*`", "", text)), "a number, or a figure's"


def test_pages_name_a_published_number() -> None:
    assert sum(line(page).startswith("*Held to*") for page in PAGES) >= LEAST
