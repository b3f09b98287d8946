"""What computed a published row, by content: the ids that git gives the folders of the sources.

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
"""What the values of a row depend on."""


def source_trees(root: Path = ROOT) -> dict[str, str]:
    """The id of each folder of sources as it stands, committed or not. Raises OSError without git.

    Files that git ignores, such as the compiled extension, do not count.
    """
    with tempfile.TemporaryDirectory() as scratch:
        # An index of its own: what the user has staged stays as it is.
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
