"""Workflows: actions are pinned by commit, and what they run can be run by hand."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit(workflow: Path) -> None:
    """A tag can be moved. The comment says which version a commit is, for readers and for updates."""
    used = re.findall(r"uses: (.*)", workflow.read_text(encoding="utf-8"))
    assert used
    assert [line for line in used if not re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v[\d.]+", line)] == []


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_what_a_workflow_makes_is_a_target(workflow: Path) -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))
    text = workflow.read_text(encoding="utf-8")
    matrices = re.findall(r"target: \[(.*)\]", text)
    made = {word for line in matrices for word in line.split(", ")}
    for line in re.findall(r"run: make (.*)", text):
        made |= {word for word in line.split() if re.fullmatch(r"[a-z][a-z-]*", word)}
    assert made
    assert made <= targets
