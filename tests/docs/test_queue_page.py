"""The page of the queues says what the registry says."""

import re
from pathlib import Path

import pytest

import ackclock
from ackclock.scenarios.catalogue import Entry

PAGE = (Path(__file__).parents[2] / "docs" / "queues.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("queue", ackclock.list_queues(), ids=lambda queue: queue.name)
def test_a_section_has_all_parameters_with_their_defaults(queue: Entry) -> None:
    assert f"[`{queue.name}`](#{queue.name})" in PAGE
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \|", SECTIONS[queue.name], re.MULTILINE)
    assert {name: float(default) for name, default in rows} == {p.name: p.default for p in queue.parameters}
    if queue.parameters:
        for heading in ("What it is for", "Rule", "Source", "Where we depart"):
            assert f"**{heading}.**" in SECTIONS[queue.name]
