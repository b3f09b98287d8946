"""Workflows: actions are pinned by commit, and what they run can be run by hand."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
GITHUB = REPOSITORY / ".github"
WORKFLOWS = [*sorted(GITHUB.glob("workflows/*.yml")), *sorted(GITHUB.glob("actions/*/action.yml"))]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_actions_are_pinned_by_commit(workflow: Path) -> None:
    """A tag can be moved. The comment says which version a commit is, for readers and for updates.

    An action of our own is of the commit that is checked out.
    """
    used = re.findall(r"uses: (.*)", workflow.read_text(encoding="utf-8"))
    assert used
    assert [
        line
        for line in used
        if not re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v[\d.]+|\./\.github/actions/\w+", line)
    ] == []
    ours = [REPOSITORY / line / "action.yml" for line in used if line.startswith("./")]
    assert [path for path in ours if not path.is_file()] == []


INSTALLED = {
    "pip install": r"--require-hashes --requirement requirements/[a-z]+\.lock",
    "cargo install": r"--locked [\w-]+@\d+\.\d+\.\d+",
    "rustup toolchain install": r"[a-z]+-\d{4}-\d\d-\d\d ",
}
OURS = "pip install ackclock --find-links dist --no-index --no-deps && pip install ackclock"
"""What a user types: it takes what the index has now."""


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_tools_are_pinned_by_version_and_hash(workflow: Path) -> None:
    """A registry's package of a version never changes; an index says the newest one otherwise."""
    text = workflow.read_text(encoding="utf-8").replace(OURS, "")
    for tool, pinned in INSTALLED.items():
        for rest in re.findall(rf"{tool} (.*)", text):
            assert re.match(pinned, rest), f"{workflow.name}: {tool} {rest}"
    assert text.count("maturin-action@") == text.count("maturin-version: v")
    assert not re.search(r"\b(curl|wget|npm install|npx|pipx|uvx)\b", text)
    lock = REPOSITORY / "requirements" / "audit.lock"
    assert lock.read_text(encoding="utf-8").count("--hash=sha256:") > 20


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: f"{path.parent.name}/{path.stem}")
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
