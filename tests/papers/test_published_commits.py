"""Published measurements name the commits that made them: each is a commit that the history has."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = ROOT / "published"
LOST: dict[str, str] = {}
"""Commits that were rewritten after their parts had been published, with the papers. None is left: parts are
measured again by a commit that stays."""
IN_PARTS = re.compile(r"\(([0-9a-f]{7,40})\)")
"""A commit in words such as `remedies by ackclock 0.1.0 (fa965e096275)`."""


def named() -> dict[str, set[str]]:
    """The commits that provenance.json and claims.json name, by the first twelve digits, with the files."""
    found: dict[str, set[str]] = {}
    for name in ("provenance.json", "claims.json"):
        for file in sorted(PUBLISHED.rglob(name)):
            document = json.loads(file.read_text(encoding="utf-8"))
            made = document.get("measured_by", document)
            commits = [str(made["commit"])] if made.get("commit") else []
            commits += IN_PARTS.findall(str(made.get("parts", "")))
            for commit in commits:
                found.setdefault(commit[:12], set()).add(str(file.relative_to(ROOT)))
    return found


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def history() -> None:
    """Skips where there is no whole history to look in."""
    if shutil.which("git") is None or git("rev-parse", "--git-dir").returncode:
        pytest.skip("an exported tree has no history")
    if git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        pytest.skip("a shallow clone has not the whole history")


def resolves(commit: str) -> bool:
    return git("cat-file", "-e", f"{commit}^{{commit}}").returncode == 0


def test_papers_name_the_commits_that_made_them() -> None:
    papers = {file for files in named().values() for file in files if "/papers/" in file}
    folders = [folder for folder in (PUBLISHED / "papers").iterdir() if folder.is_dir()]
    for folder in folders:
        assert any(file.startswith(f"published/papers/{folder.name}/") for file in papers), folder.name


@pytest.mark.usefixtures("history")
def test_commits_that_are_named_are_in_the_repository() -> None:
    missing = {
        commit: files for commit, files in named().items() if commit not in LOST and not resolves(commit)
    }
    assert not missing, f"publish again from a commit that stays: {missing}"


@pytest.mark.usefixtures("history")
def test_what_is_listed_as_lost_is_named_and_lost() -> None:
    settled = [commit for commit in LOST if commit not in named() or resolves(commit)]
    assert not settled, f"take these from the list: {settled}"
