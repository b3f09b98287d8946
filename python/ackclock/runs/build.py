"""The identity of the build: what else than scenario, seed and classes decides the numbers of a run."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

from ackclock import measures
from ackclock.provenance import version
from ackclock.runs import stacks

__all__ = ["of_build"]


@functools.cache
def of_build() -> str:
    """The version, and a hash of the compiled simulator and of the measures that fill the rows."""
    digest = hashlib.sha256()
    for binary in stacks.binaries():
        digest.update(binary.read_bytes())
    for module in sorted(Path(measures.__file__).parent.glob("*.py")):
        digest.update(module.read_bytes())
    return f"{version()} {digest.hexdigest()}"
