"""The files of Burst TCP's experiments in ns-2 and here.

`python -m verification.comparisons.mice_in_ns2 base 1250 10` runs ten seeds of 1250 files, one way. A further
argument delays acknowledgments: `data`, or `syn` for those of SYNs, too.

It prints mean and median times of the mice in s, and the share of mice whose times agree to 10 µs. ns-2 must
be installed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ackclock import Result, load_scenario, run
from ackclock.measures import transfers
from ackclock.papers import load_paper
from verification.peers.harness import ns2_command

Floats = NDArray[np.float64]


MICE_PACKETS = 32
"""Files of at most this many packets are mice."""
VARIANTS = {"Newreno": "newreno", "Reno": "reno"}
SAME_S = 1e-5


DELAYED = {"tcp.segments_per_ack": 2, "tcp.ack_delay": "200 ms", "tcp.delay_fin_ack": True}
"""The acknowledgments of ns-2, where no segment carries a FIN: see the page of the paper."""


def in_ns2(files: pl.DataFrame, variant: str, delayed: str = "") -> Floats:
    """The time of each file in s; NaN for an unfinished file."""
    with tempfile.TemporaryDirectory() as folder:
        given, done = Path(folder) / "files", Path(folder) / "times"
        columns = files.select("start_s", "packets", "pair", "backward").iter_rows()
        given.write_text("".join(f"{a:.9f} {b} {c} {d}\n" for a, b, c, d in columns), encoding="utf-8")
        subprocess.run(ns2_command("files", str(given), variant, str(done), delayed), check=True)
        times = np.full(files.height, np.nan)
        for line in done.read_text(encoding="utf-8").splitlines():
            number, finish = line.split()
            times[int(number)] = float(finish) - files["start_s"][int(number)]
    return times


def files_of(result: Result) -> pl.DataFrame:
    """The files of a run, each with its pair of hosts, and True if it goes from right to left."""
    ends = result.flows.select(
        "flow",
        pl.col("source").str.extract(r"(\d+)").cast(pl.Int64).alias("host"),
        (pl.col("name").str.starts_with("reverse")).cast(pl.Int64).alias("backward"),
    )
    files = transfers.records(result).join(ends, on="flow", how="left", maintain_order="left")
    return files.with_columns((pl.col("host") - files["host"].min()).alias("pair"))


def main() -> None:
    """Runs both and prints the table."""
    name, count, seeds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    delayed = sys.argv[4] if len(sys.argv) > 4 else ""
    settings: dict[str, object] = {
        f"flow.{group}.count": count for group in range(2 if name == "reverse" else 1)
    }
    if delayed:
        settings |= {**DELAYED, "tcp.delay_syn_ack": delayed == "syn"}
    scenario = load_scenario(load_paper("burst-tcp").folder / "scenarios" / f"{name}.toml", settings)
    print("variant  mean here  mean ns-2  median here  median ns-2  same")
    for theirs, ours in VARIANTS.items():
        rows = []
        for seed in range(1, 1 + seeds):
            files = files_of(run(scenario, seed=seed, algorithm=ours))
            mice = (files["packets"] <= MICE_PACKETS).to_numpy()
            here, there = files["time_s"].to_numpy()[mice], in_ns2(files, theirs, delayed)[mice]
            same = float(np.mean(np.abs(here - there) < SAME_S))
            rows.append((np.nanmean(here), np.nanmean(there), np.nanmedian(here), np.nanmedian(there), same))
        print(f"{ours:8}", *(f"{value:10.4f}" for value in np.mean(rows, axis=0)))


if __name__ == "__main__":
    main()
