"""The cost of a user's commands as a whole: the interpreter, simulating, statistics, tables and the page.

A sweep's cost per run is the difference of two sweeps, one of many more seeds, so that what is done once does
not count.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

PLAN = """
name = "bench"
scenario = "two-megabit"
seeds = {seeds}

[grid]
tcp.initial_window = ["2 packets", "10 packets"]

[algorithms]
NewReno = "newreno"
CUBIC = "rack+cubic"
"""
SETTINGS = 4
"""Runs per seed: two windows, two algorithms."""
SEEDS = (2, 102)

Timed = Callable[[Sequence[str]], float]
"""Runs a command; the CPU seconds that it took, and those of its processes."""


def comparison(timed: Timed, folder: Path) -> float:
    """CPU seconds of `ackclock compare`: five algorithms on the built-in scenario."""
    return timed(ackclock("compare", "--output", str(folder / "compare")))


def sweep(timed: Timed, folder: Path, seeds: int) -> float:
    """CPU seconds of `ackclock sweep`, without a page."""
    plan = folder / f"{seeds}.toml"
    plan.write_text(PLAN.format(seeds=seeds), encoding="utf-8")
    return timed(ackclock("sweep", str(plan), "--no-report", "--output", str(folder / f"sweep-{seeds}")))


def ackclock(*words: str) -> list[str]:
    """The command of this environment."""
    return [sys.executable, "-m", "ackclock", *words]


def simulating(folder: Path) -> float:
    """The CPU seconds that a comparison's own record says its simulations took."""
    made = json.loads((folder / "compare" / "provenance.json").read_text(encoding="utf-8"))["making"]
    return float(made["cpu_s"])


def measure(
    timed: Timed, fresh: Callable[[], Path], runs: int, seeds: tuple[int, int] = SEEDS
) -> dict[str, Any]:
    """Medians of some runs. `fresh` makes an empty folder."""
    folders = [fresh() for _ in range(runs)]
    compared = [comparison(timed, folder) for folder in folders]
    few, many = ([sweep(timed, folder, count) for folder in folders] for count in seeds)
    return {
        "runs": runs,
        "comparison_cpu_s": median(compared),
        "simulating_cpu_s": median(map(simulating, folders)),
        "sweep_cpu_s_per_run": (median(many) - median(few)) / ((seeds[1] - seeds[0]) * SETTINGS),
    }
