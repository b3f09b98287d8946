"""The cost of a user's commands as a whole: the interpreter, simulating, statistics, tables and the page.

A sweep's cost per run is the difference of two sweeps, one of many more seeds, so that what is done once does
not count. The difference between short and long runs is that of simulating.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

PLAN = """
name = "bench"
scenario = "two-megabit"
seeds = {seeds}
settings.duration = "{seconds} s"

[grid]
tcp.initial_window = ["2 packets", "10 packets"]

[algorithms]
NewReno = "newreno"
CUBIC = "rack+cubic"
"""
SETTINGS = 4
"""Runs per seed: two windows, two algorithms."""
SEEDS = (2, 402)
SECONDS = (2, 20)
"""The simulated seconds of short and of long runs; the costs of the simulation are in proportion to them."""


class Cost(NamedTuple):
    """The cost of a command."""

    cpu_s: float
    """CPU seconds, those of its processes included."""
    elapsed_s: float


Timed = Callable[[Sequence[str]], Cost]
"""Runs a command."""


def comparison(timed: Timed, folder: Path) -> Cost:
    """`ackclock compare`: five algorithms on a built-in scenario."""
    compared = ("tahoe", "reno", "newreno", "sack", "vegas", "--scenario", "two-megabit")
    return timed(command("compare", *compared, "--output", str(folder / "compare")))


def sweep(timed: Timed, folder: Path, seeds: int, seconds: int) -> Cost:
    """`ackclock sweep`, without a page; each run simulates this many seconds."""
    plan = folder / f"{seconds}-{seeds}.toml"
    plan.write_text(PLAN.format(seeds=seeds, seconds=seconds), encoding="utf-8")
    output = folder / f"sweep-{seconds}-{seeds}"
    return timed(command("sweep", str(plan), "--no-report", "--output", str(output)))


def command(*words: str) -> list[str]:
    """The command of this environment."""
    return [sys.executable, "-m", "ackclock", *words]


def simulating_cpu_s(folder: Path) -> float:
    """The CPU seconds that a comparison's own record says its simulations took."""
    made = json.loads((folder / "compare" / "provenance.json").read_text(encoding="utf-8"))["making"]
    return float(made["cpu_s"])


def run_of_a_sweep(timed: Timed, folders: Sequence[Path], seeds: tuple[int, int], seconds: int) -> Cost:
    """The cost of one run, in which this many seconds are simulated; medians."""
    few, many = ([sweep(timed, folder, count, seconds) for folder in folders] for count in seeds)
    runs = (seeds[1] - seeds[0]) * SETTINGS

    def per_run(part: Callable[[Cost], float]) -> float:
        return (median(map(part, many)) - median(map(part, few))) / runs

    return Cost(per_run(lambda cost: cost.cpu_s), per_run(lambda cost: cost.elapsed_s))


def measure(
    timed: Timed, fresh: Callable[[], Path], runs: int, seeds: tuple[int, int] = SEEDS
) -> dict[str, Any]:
    """Medians of some runs. `fresh` makes an empty folder."""
    folders = [fresh() for _ in range(runs)]
    compared = [comparison(timed, folder).cpu_s for folder in folders]
    short, long = (run_of_a_sweep(timed, folders, seeds, seconds) for seconds in SECONDS)
    simulating = (long.cpu_s - short.cpu_s) * SECONDS[1] / (SECONDS[1] - SECONDS[0])
    return {
        "runs": runs,
        "comparison_cpu_s": median(compared),
        "simulating_cpu_s": median(map(simulating_cpu_s, folders)),
        "sweep_cpu_s_per_run": long.cpu_s,
        "sweep_elapsed_s_per_run": long.elapsed_s,
        "sweep_simulating_cpu_s_per_run": simulating,
    }
