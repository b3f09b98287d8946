"""`python -m benches.scale`: case T100k, a hundred thousand flows active at once, over both transports.

Some minutes of CPU time and up to a gigabyte, so it is not among the cases of `python -m benches`. Each
transport runs in a process of its own, so that its memory can be measured. Prints one table; `--figure` draws
what the network did.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from ackclock import load_scenario
from ackclock.cli.progress import ProgressBar
from ackclock.report import figures, style
from ackclock.runs.simulate import simulate

SCENARIO = "three-tier-large"
TRANSPORTS = ("sack", "acknak")
TABLES = ("network_series", "transfer_classes")

Tables = Mapping[str, Mapping[str, pl.DataFrame]]


def resident_bytes() -> int:
    """The memory that this process holds now, where the system tells."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) * 1024


def run_one(algorithm: str, folder: Path, settings: Sequence[str]) -> None:
    """Simulates over one transport, and leaves its facts and tables in `folder`."""
    scenario = load_scenario(SCENARIO)
    pairs = [("tcp.algorithm", algorithm), *(tuple(pair.split("=", 1)) for pair in settings)]
    scenario = scenario.with_values([(key, value) for key, value in pairs])
    before = resident_bytes()
    held: list[int] = []
    with ProgressBar(algorithm) as bar:

        def progress(done: float) -> bool:
            held.append(resident_bytes() - before)
            bar.tell(done, scenario.duration_s)
            return True

        result = simulate(scenario, algorithm, {}, progress)
    facts = {
        "algorithm": algorithm,
        "flows": scenario.flow_count,
        "simulated_s": result.finished_at_s,
        "packets": result.packets_delivered,
        "events": result.events,
        "cpu_s": result.cpu_s,
        "bytes_at_start": held[0],
        "bytes_at_most": max(held),
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "facts.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    for name in TABLES:
        result.tables[name].write_parquet(folder / f"{name}.parquet")


def draw(tables: Tables) -> Any:
    """Active flows, windows, retransmissions and goodput by size, over all transports."""
    with mpl.rc_context(style.MATPLOTLIB):
        figure, axes = figures.new_figure(2, 2, height=4.6)
        looks = style.looks(list(tables))
        for label, parts in tables.items():
            look: dict[str, Any] = {"color": looks[label].colour, "linewidth": 1.2, "label": label}
            series = parts["network_series"].filter(pl.col("time_s") > 0)
            time = series["time_s"].to_numpy()
            axes[0].plot(time, series["flows_active"].to_numpy() / 1e3, **look)
            axes[1].plot(time, series["mean_cwnd_packets"].to_numpy(), **look)
            again = series["retransmissions"].to_numpy() / np.maximum(series["packets_sent"].to_numpy(), 1)
            axes[2].plot(time, again * 100, **look)
            # A mean over few transfers says little.
            classes = parts["transfer_classes"].filter(pl.col("transfers") >= 5)
            size = np.sqrt(
                classes["packets_from"].to_numpy() * classes["packets_to"].to_numpy().astype(float)
            )
            goodput = classes["mean_goodput_bit_per_s"].to_numpy() / 1e6
            axes[3].loglog(size, goodput, marker=looks[label].marker, markersize=4, **look)
        labels = ("flows active [thousands]", "mean cwnd [packets]", "sent again [% of packets]")
        for axis, label in zip(axes, labels, strict=False):
            axis.set_xlabel("time [s]")
            axis.set_ylabel(label)
            axis.set_ylim(bottom=0)
        axes[3].set_xlabel("file size [packets]")
        axes[3].set_ylabel("mean goodput [Mbit/s]")
        axes[0].legend(loc="lower right")
    return figure


def show(facts: Sequence[Mapping[str, Any]]) -> None:
    """One column per transport."""
    table = Table("", *(str(fact["algorithm"]) for fact in facts))
    rows: dict[str, Callable[[Mapping[str, Any]], str]] = {
        "simulated seconds per CPU-second": lambda f: f"{f['simulated_s'] / f['cpu_s']:.3f}",
        "packets per CPU-second": lambda f: f"{f['packets'] / f['cpu_s']:,.0f}",
        "events per CPU-second": lambda f: f"{f['events'] / f['cpu_s']:,.0f}",
        "bytes per flow, just begun": lambda f: f"{f['bytes_at_start'] / f['flows']:,.0f}",
        "bytes per flow at most, packets under way included": lambda f: (
            f"{f['bytes_at_most'] / f['flows']:,.0f}"
        ),
    }
    for name, value in rows.items():
        table.add_row(name, *(value(fact) for fact in facts))
    Console().print(table)


def main() -> None:
    """Runs what is not there yet, prints, and draws if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benches.scale", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("results/scale"), help="where results are kept")
    parser.add_argument("--figure", type=Path, help="an SVG file to draw")
    parser.add_argument("--set", action="append", default=[], dest="settings", metavar="KEY=VALUE")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        run_one(arguments.one, arguments.folder / arguments.one, arguments.settings)
        return
    for transport in TRANSPORTS:
        if not (arguments.folder / transport / "facts.json").is_file():
            settings = [word for pair in arguments.settings for word in ("--set", pair)]
            own = [sys.executable, "-m", "benches.scale", "--one", transport]
            subprocess.run([*own, "--folder", str(arguments.folder), *settings], check=True)
    folders = {transport: arguments.folder / transport for transport in TRANSPORTS}
    show([json.loads((path / "facts.json").read_text(encoding="utf-8")) for path in folders.values()])
    if arguments.figure:
        tables = {
            transport: {name: pl.read_parquet(path / f"{name}.parquet") for name in TABLES}
            for transport, path in folders.items()
        }
        drawn = figures.image(
            draw(tables),
            arguments.figure.suffix[1:],
            {"Title": "A hundred thousand flows over two transports"},
        )
        arguments.figure.write_bytes(drawn)


if __name__ == "__main__":
    main()
