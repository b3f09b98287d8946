"""The page of the queues has a section for each, with its parameters from the catalogue."""

import re
from pathlib import Path

import pytest

import ackclock
from ackclock.scenarios.catalogue import Entry
from verification.figures import keys

PAGE = (Path(__file__).parents[2] / "docs" / "queues.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("queue", ackclock.list_queues(), ids=lambda queue: queue.name)
def test_a_section_shows_the_parameters_of_the_catalogue(queue: Entry) -> None:
    is_listed = f"[`{queue.name}`](#{queue.name})" in PAGE
    assert is_listed, f"the first table of docs/queues.md has no row for {queue.name}"
    assert queue.name in SECTIONS, f"docs/queues.md has no section {queue.name}"
    if queue.parameters:
        assert f"```{{parameters}} queue/{queue.name}\n```" in SECTIONS[queue.name]
        for heading in ("Purpose", "Algorithm", "Source", "Deviations from the specification"):
            assert f"**{heading}.**" in SECTIONS[queue.name]


def test_the_page_has_figures_of_queues_that_there_are() -> None:
    figures = re.findall(r"^```\{drawn\} (\S+)$", PAGE, re.MULTILINE)
    assert len(figures) > 10
    assert set(figures) <= set(keys())
