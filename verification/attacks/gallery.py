"""The gallery: findings over the catalogue, each a file of the path, which are run again as laws."""

from __future__ import annotations

import functools
from pathlib import Path

from ackclock.attacks.replay import Recorded, read_finding

__all__ = ["FOLDER", "MENDED", "STILL_BAD", "gallery", "replayed"]

FOLDER = Path(__file__).parent / "gallery"

STILL_BAD, MENDED = "still bad", "mended"
"""The states of a finding. It is still bad as long as the path leaves less than the file says."""

SEED = 1


@functools.cache
def gallery() -> tuple[Recorded, ...]:
    """Every finding, by name."""
    return tuple(read_finding(file) for file in sorted(FOLDER.glob("*.toml")))


def replayed(finding: Recorded) -> float:
    """The share that the path leaves."""
    return finding.shares((SEED,))[SEED].share
