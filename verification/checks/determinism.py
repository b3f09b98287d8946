"""Equal scenarios give equal bytes: in a second run, on one and two threads, in debug and release builds.

Nothing in the engine asks a clock, a hash order or the machine (ARCHITECTURE.md, invariants 3 to 5), and
IEEE arithmetic does not depend on the optimiser. So there is no tolerance: every byte of every table is
hashed. Other seeds, each of which must give another hash, show that the hash would notice a difference.

The comparison of builds is left out where there is no Rust, and with `quick`: it compiles the engine once
without optimisation.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

import ackclock
from ackclock import Result
from ackclock.errors import NoMarksWarning
from ackclock.measures.verdict import Verdict
from ackclock.report.figures import new_figure
from verification.checks.conservation import scenario
from verification.checks.runs import Settings, simulate, simulate_all
from verification.examples import example, unoptimised
from verification.report import Report

COMPILED = 12
"""Scenarios run in a debug build, which is some fifty times as slow."""

LITTLE_ENDIAN: dict[type[pl.DataType], str] = {pl.Float64: "<f8", pl.UInt64: "<u8", pl.UInt32: "<u4"}


def table_bytes(result: Result) -> bytes:
    """Every byte of a run's tables, as the engine's example `tables` writes them."""
    parts = []
    for name, table in sorted(result.tables.items()):
        for column in table.iter_columns():
            parts.append(f"{name} {column.name}\n".encode())
            if column.dtype == pl.String:
                parts.append("".join(f"{text}\n" for text in column).encode())
            else:
                parts.append(column.to_numpy().astype(LITTLE_ENDIAN[type(column.dtype)]).tobytes())
    return b"".join(parts)


def fingerprint(result: Result) -> str:
    """SHA-256 of all tables."""
    return hashlib.sha256(table_bytes(result)).hexdigest()


def debug_fingerprint(settings: Settings) -> str:
    """The tables of a build without optimisation and with all assertions. Needs cargo."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scenario.toml"
        file.write_text(ackclock.load_scenario(settings).to_toml(), encoding="utf-8")
        program = example("ackclock-simulation", "tables", config=unoptimised())
        done = subprocess.run([program, str(file)], capture_output=True, check=True)
    return hashlib.sha256(done.stdout).hexdigest()


def settings(seed: int) -> Settings:
    """A random network, with everything recorded."""
    recorded = scenario(seed)
    return {**recorded, "duration": "10 s", "trace": {"interval": "100 ms"}}


def verify(*, quick: bool) -> Report:
    """Carries out the comparisons."""
    seeds = range(1, 13 if quick else 25)
    scenarios = [settings(seed) for seed in seeds]
    serially = [fingerprint(simulate(item)) for item in scenarios]
    in_parallel = [fingerprint(result) for result in simulate_all(scenarios)]
    replicated = [_replicated(scenarios[0], workers) for workers in (1, 2)]
    checks = [
        Verdict.same(
            f"scenarios of {len(seeds)} alike in sequence and side by side",
            _alike(serially, in_parallel),
            len(seeds),
        ),
        Verdict.same("seeds of 8 alike with one worker and with two", _alike(*replicated), 8),
        Verdict.same("different hashes of 8 seeds", len(set(replicated[0])), 8),
    ]
    builds: list[str] = []
    if not quick and shutil.which("cargo"):
        builds = [debug_fingerprint(item) for item in scenarios[:COMPILED]]
        checks.append(
            Verdict.same(
                f"scenarios of {COMPILED} alike in debug and release builds",
                _alike(serially[:COMPILED], builds),
                COMPILED,
            )
        )
    figure, (axis,) = new_figure(height=2.4)
    columns = {"in sequence": serially, "side by side": in_parallel, "debug build": builds}
    columns = {name: hashes for name, hashes in columns.items() if hashes}
    for place, hashes in enumerate(columns.values()):
        colours = [f"#{value[:6]}" for value in hashes]
        axis.scatter(np.arange(1, len(hashes) + 1), [place] * len(hashes), c=colours, s=60, marker="s")
    axis.set_yticks(range(len(columns)), list(columns))
    axis.set(xlabel="scenario", ylim=(-0.5, len(columns) - 0.5), title="The hash of all tables, as a colour")
    axis.invert_yaxis()
    axis.grid(visible=False)
    return Report("determinism", "Equal scenarios give equal bytes", tuple(checks), figure)


def _replicated(item: Settings, workers: int) -> list[str]:
    with warnings.catch_warnings():
        # Algorithms of random scenarios are drawn: some respond to marks where no link marks.
        warnings.simplefilter("ignore", NoMarksWarning)
        comparison = ackclock.replicate(item, seeds=8, workers=workers)
    return [fingerprint(result) for result in comparison.results]


def _alike(first: Sequence[str], second: Sequence[str]) -> int:
    return sum(a == b for a, b in zip(first, second, strict=True))
