"""Example programs of the crates, compiled where that is not done."""

from __future__ import annotations

import json
import subprocess
import tomllib
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
AS_TESTS = ("--workspace", "--features", "ackclock-quic/sockets,ackclock-python/as-tests")
"""The features of `make test-rust`: whatever is compiled by them is compiled once for all."""


@cache
def unoptimised() -> tuple[str, ...]:
    """Of the profile of tests: the crates of the simulator without optimisation, all others as they are."""
    manifest = tomllib.loads((REPOSITORY / "Cargo.toml").read_text(encoding="utf-8"))
    named = [name for name in manifest["profile"]["dev"]["package"] if name.startswith("ackclock")]
    return tuple(f"profile.dev.package.{name}.opt-level=0" for name in named)


@cache
def example(package: str, name: str, *, release: bool = False, config: tuple[str, ...] = ()) -> str:
    """The path of an example of a crate: as it is shipped, or as tests are compiled. Needs cargo."""
    command = ["cargo", "build", "--quiet", "--locked", "--message-format=json-render-diagnostics"]
    command += ["--release", "--package", package] if release else AS_TESTS
    command += [word for each in config for word in ("--config", each)]
    command += ["--example", name]
    done = subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True)
    for line in done.stdout.splitlines():
        artifact = json.loads(line)
        if artifact.get("executable") and artifact["target"]["name"] == name:
            return str(artifact["executable"])
    raise RuntimeError(f"cargo built no example {name} of {package}")
