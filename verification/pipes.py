"""`python -m verification.pipes`: which algorithm for a long fat pipe, as heat maps and one table.

Runs what is missing of docs/comparisons/long-fat-pipe/plan.toml, which `ackclock sweep` runs too: some 30
minutes of CPU time the first time. Ctrl-C keeps what is done, and draws it.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import polars as pl

import ackclock
from ackclock import heat_maps, statistics
from ackclock.figures import image
from ackclock.progress import ProgressBar
from ackclock.provenance import command_line, git_commit, version
from ackclock.sweeps import SweepInterrupted

REPOSITORY = Path(__file__).resolve().parent.parent
DOCUMENTATION = REPOSITORY / "docs" / "comparisons" / "long-fat-pipe"
RESULTS = REPOSITORY / "results" / "long-fat-pipe-sweep"
MAPS = {"utilisation": (0.0, 100.0), "fairness": (0.25, 1.0), "queueing_delay_s": (0.0, 200.0)}
"""What is drawn, with the bounds of the colours in the unit shown."""
CLEAN = 1e-6
"""Up to this loss rate a path counts as clean."""
COLUMNS = (
    ("use, 1 flow, clean, %", "utilisation", 100, "1 flow", True),
    ("use, 1 flow, lossy, %", "utilisation", 100, "1 flow", False),
    ("use, 4 flows, clean, %", "utilisation", 100, "4 flows", True),
    ("use, 4 flows, lossy, %", "utilisation", 100, "4 flows", False),
    ("fairness, 4 flows, clean", "fairness", 1, "4 flows", True),
    ("queueing, clean, ms", "queueing_delay_s", 1e3, "", True),
    ("dropped, clean, %", "loss_share", 100, "", True),
)
"""Columns of the table: heading, metric, factor, how many flows (empty: all), and if of clean paths."""


def main(arguments: Sequence[str]) -> int:
    """Returns 0."""
    parser = argparse.ArgumentParser(prog="python -m verification.pipes", description=__doc__)
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where runs are, and are added to")
    parser.add_argument("--workers", type=int, help="runs side by side")
    parser.add_argument("--docs", action="store_true", help="renew what the documentation shows")
    chosen = parser.parse_args(arguments)
    plan, store = DOCUMENTATION / "plan.toml", chosen.folder / "store"
    try:
        with ProgressBar("Sweeping") as bar:
            done = ackclock.sweep(plan, store, workers=chosen.workers, progress=bar.tell)
    except SweepInterrupted as interrupted:
        done = interrupted.partial
        print(interrupted, file=sys.stderr)
    folder: Path = DOCUMENTATION if chosen.docs else chosen.folder
    made = f"ackclock {version()}, commit {git_commit()}; command: {command_line()}"
    for key, bounds in MAPS.items():
        for _, figure in heat_maps.draw(done, key, bounds):
            about = {"Title": f"{done.plan.title} {key}", "Description": made}
            (folder / f"{key}.svg").write_bytes(image(figure, "svg", about))
    rows = table(done.runs)
    with (folder / "table.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    for row in rows:
        print("  ".join(cell.ljust(26) for cell in row).rstrip())
    print(f"Figures and table: {folder}")
    return 0


def table(runs: pl.DataFrame) -> list[list[str]]:
    """A row per algorithm: means over cells with 95 % intervals over seeds."""
    rows = [["algorithm", *(heading for heading, *_ in COLUMNS)]]
    for label in runs["label"].unique(maintain_order=True):
        row = [str(label)]
        for _, key, factor, flows, is_clean in COLUMNS:
            mine = runs.filter(
                (pl.col("label") == label)
                & ((pl.col("loss rate").cast(pl.Float64) <= CLEAN) == is_clean)
                & pl.col("flows and buffer").str.starts_with(flows)
            )
            row.append(_cell(mine, key, factor))
        rows.append(row)
    return rows


def _cell(runs: pl.DataFrame, key: str, factor: float) -> str:
    """The mean over cells, each of one weight; its interval from the seeds that were run in every cell."""
    if runs.is_empty():
        return "–"
    by_seed = runs.group_by("seed").agg(pl.col(key).mean(), pl.len().alias("cells")).sort("seed")
    complete = by_seed.filter(pl.col("cells") == pl.col("cells").max())
    found = statistics.mean_interval(complete[key] * factor)
    digits = 3 if key in ("fairness", "loss_share") else 1
    half = "" if math.isnan(found.low) else f" ± {(found.high - found.low) / 2:.{digits}f}"
    return f"{found.estimate:.{digits}f}{half}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
