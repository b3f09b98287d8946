"""The page of paths has a section for each impairment and a row for each typical path."""

import re
from pathlib import Path

import pytest

from ackclock.scenarios.catalogue import Entry, list_entries

PAGE = (Path(__file__).parents[2] / "docs" / "paths.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("entry", list_entries("impairments"), ids=lambda entry: entry.name)
def test_a_section_shows_the_parameters_of_an_impairment(entry: Entry) -> None:
    sections = dict(re.findall(r"^### (\S+)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))
    assert entry.name in sections, f"docs/paths.md has no section {entry.name}"
    if entry.parameters:
        assert f"```{{parameters}} impairment/{entry.name}\n```" in sections[entry.name]


@pytest.mark.parametrize("entry", list_entries("paths"), ids=lambda entry: entry.name)
def test_the_table_has_a_row_for_a_path(entry: Entry) -> None:
    assert f"| `{entry.name}` |" in PAGE, f"the table of docs/paths.md has no row for {entry.name}"
