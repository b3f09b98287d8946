"""The sources that computed a published row, by content: git's ids of their folders.

A commit may be squashed or rebased after its evidence is published; the id of a folder stays while its
content does. `git rev-parse COMMIT:crates` prints the id in any commit.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

__all__ = ["FOLDERS", "source_trees"]

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("crates", "python/ackclock")
"""The folders on which the values of a row depend."""


def source_trees(root: Path = ROOT) -> dict[str, str]:
    """The id of each folder of sources in its present state, committed or not. Raises OSError without git.

    Files that git ignores, such as the compiled extension, do not count.
    """
    with tempfile.TemporaryDirectory() as scratch:
        # A separate index leaves the user's staged changes alone.
        aside = os.environ | {"GIT_INDEX_FILE": str(Path(scratch) / "index")}

        def git(*arguments: str) -> str:
            done = subprocess.run(
                ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False, env=aside
            )
            if done.returncode:
                raise OSError(f"git {arguments[0]}: {done.stderr.strip()}")
            return done.stdout.strip()

        git("add", "--", *FOLDERS)
        return {folder: git("write-tree", f"--prefix={folder}/") for folder in FOLDERS}
