"""The page of what the papers name points to what there is."""

import importlib
import re
from pathlib import Path

import pytest

from ackclock.scenarios.catalogue import KINDS, list_entries

DOCS = Path(__file__).resolve().parents[2] / "docs"
KEY_TABLES = ("tcp", "acknak", "flow", "udp", "link", "pool")
ROWS = [
    [cell.strip() for cell in line.strip("| ").split(" | ")]
    for line in (DOCS / "named-in-the-papers.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| named |")
]
ENTRIES = {f"{entry.kind.replace(' ', '-')}/{entry.name}" for what in KINDS for entry in list_entries(what)}
KEYS = set(re.findall(r"`(\w+)`", (DOCS / "scenarios.md").read_text(encoding="utf-8")))


def attribute(name: str) -> object:
    """What a dotted name stands for. Raises ImportError or AttributeError for one that stands for nothing."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError as error:
            if error.name is None or not name.startswith(error.name):
                raise
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return found
    raise ImportError(name)


def stands(reference: str) -> bool:
    """True if there is what a reference of the page names."""
    first, _, rest = reference.partition(".")
    if first in ("ackclock", "papers", "verification"):
        return attribute(reference) is not None
    if first in KEY_TABLES and rest:
        return rest in KEYS
    return reference in ENTRIES


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_names_what_there_is_or_says_why_it_is_not_there(row: list[str]) -> None:
    assert len(row) == 3, "named, where, here"
    here = row[2]
    pages = re.findall(r"\{doc\}`([^`]+)`", here)
    for page in pages:
        assert (DOCS / f"{page}.md").is_file(), page
    code = re.findall(r"(?<!\})`([^`]+)`", here)
    named = [text for text in code if re.fullmatch(r"[a-z-]+/[\w-]+|[a-z]+\.[\w.]+", text)]
    for reference in named:
        assert stands(reference), reference
    if here.startswith("not there"):
        assert ", because " in here, "why is it not there?"
    else:
        assert pages or named or here.startswith("every algorithm"), "where is it?"


def test_no_row_stands_twice() -> None:
    names = [row[0] for row in ROWS]
    assert len(names) == len(set(names)) > 100
