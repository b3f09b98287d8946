"""Example programs of the crates, compiled where that is not done."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
AS_TESTS = ("--workspace", "--features", "ackclock-quic/sockets,ackclock-python/as-tests")
"""The features of `make test-rust`: whatever is compiled by them is compiled once for all."""
UNOPTIMISED = "profile.dev.opt-level=0"
"""Of the profile of tests: the crates of the repository without optimisation, all others as they are."""


@cache
def example(package: str, name: str, *, release: bool = False, config: str = "") -> str:
    """The path of an example of a crate: as it is shipped, or as tests are compiled. Needs cargo."""
    command = ["cargo", "build", "--quiet", "--locked", "--message-format=json-render-diagnostics"]
    command += ["--release", "--package", package] if release else AS_TESTS
    command += ["--config", config] if config else []
    command += ["--example", name]
    done = subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True)
    for line in done.stdout.splitlines():
        artifact = json.loads(line)
        if artifact.get("executable") and artifact["target"]["name"] == name:
            return str(artifact["executable"])
    raise RuntimeError(f"cargo built no example {name} of {package}")
