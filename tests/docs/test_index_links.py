"""Entries of the index lead to sections, and the slides find what is next to them."""

import sys
from importlib import import_module
from pathlib import Path

import pytest
from docutils import nodes  # type: ignore[import-untyped]
from docutils.utils import new_document  # type: ignore[import-untyped]
from sphinx.addnodes import index

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_extensions"))

# Extensions are no part of a package.
ToSections = import_module("index_links").ToSections
playground_files = import_module("playground_files")


def test_an_entry_leads_to_its_section_also_before_a_comment() -> None:
    document = new_document("page")
    section = nodes.section("", nodes.title("", "Two words"), ids=["two-words"])
    entries = index(entries=[("single", "alpha", "index-0", "main", None)])
    document += section
    section += [entries, nodes.target("", "", ids=["index-0"]), nodes.comment(), nodes.paragraph("", "Text")]
    ToSections(document).apply()
    assert entries["entries"] == [("single", "alpha", "two-words", "main", None)]
    assert not list(document.findall(nodes.target))


def test_a_module_keeps_its_place() -> None:
    document = new_document("page")
    section = nodes.section("", nodes.title("", "Papers"), ids=["papers"])
    place = nodes.target("", "", ids=["module-ackclock.papers"])
    entries = index(entries=[("pair", "module; ackclock.papers", "module-ackclock.papers", "", None)])
    document += section
    section += [place, entries, place.deepcopy()]
    ToSections(document).apply()
    assert len(list(document.findall(nodes.target))) == 2
    assert entries["entries"][0][2] == "module-ackclock.papers"


@pytest.mark.skipif(not playground_files.REVEAL.is_dir(), reason="the slides' library is not installed")
def test_slides_find_the_playground_next_to_their_folder(tmp_path: Path) -> None:
    playground_files.copy_slides(tmp_path / "slides")
    text = (tmp_path / "slides" / "index.html").read_text(encoding="utf-8")
    assert 'href="../playground/icon.svg"' in text
    assert '="playground/' not in text
