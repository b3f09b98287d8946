"""Runs the dumbbells in all simulators that are installed, writes tables and figures.

`python -m verification.comparisons.high_speed` says so where ns-2 or ns-3 is missing, and runs the others.
Their output is kept in `.cache/peers`, since ns-3 takes a CPU-second for each second of the faster dumbbell.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ackclock.provenance import command_line, git_commit, version
from ackclock.report.curves import thinned
from ackclock.report.figures import image, new_figure
from ackclock.report.style import MATPLOTLIB
from verification.comparisons.high_speed.dumbbell import ALGORITHMS, DUMBBELLS, FAST, Dumbbell
from verification.comparisons.high_speed.simulators import Trace, runs
from verification.comparisons.high_speed.tables import SHARING, Table, growth, sharing
from verification.peers.harness import NS2, NS3, NotInstalledError, versions

REPOSITORY = Path(__file__).resolve().parents[3]
RESULTS = REPOSITORY / "results" / "high-speed"
PUBLISHED = REPOSITORY / "published" / "comparisons" / "high-speed-agents"
QUICK_S = 8.0
POINTS = 300
COLOURS = {"paper": "#0072b2", "linux": "#56b4e9", NS2: "#e69f00", NS3: "#d55e00"}

Traces = dict[str, dict[str, Trace]]
"""By algorithm and run."""


def main(arguments: Sequence[str]) -> int:
    """Returns 0."""
    parser = argparse.ArgumentParser(
        prog="python -m verification.comparisons.high_speed", description=__doc__
    )
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_S:g} s of each dumbbell, to try it")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where tables and figures go")
    parser.add_argument("--publish", action="store_true", help="renew what the documentation shows")
    chosen = parser.parse_args(arguments)
    if chosen.publish and chosen.quick:
        parser.error("the documentation shows the full runs")
    folder: Path = PUBLISHED if chosen.publish else chosen.folder
    folder.mkdir(parents=True, exist_ok=True)
    dates = set()
    for dumbbell in DUMBBELLS:
        measured = dumbbell.shorter(QUICK_S) if chosen.quick else dumbbell
        traces = run_all(measured)
        write(traces, measured, folder)
        dates |= {trace.date for by_run in traces.values() for trace in by_run.values()}
    made = f"Ackclock {version()}, {', '.join((*versions(), *sorted(dates)))}"
    (folder / "versions.txt").write_text(made + "\n", encoding="utf-8")
    print(f"{made}. Tables and figures: {folder}")
    return 0


def run_all(dumbbell: Dumbbell) -> Traces:
    """Every algorithm in every simulator that is installed."""
    found: Traces = {}
    missing: dict[str, None] = {}
    for algorithm in ALGORITHMS:
        found[algorithm.key] = {}
        for name, run in runs(algorithm).items():
            print(f"{dumbbell.name}: {algorithm.title}, {name}", file=sys.stderr)
            try:
                found[algorithm.key][name] = run(dumbbell)
            except NotInstalledError as reason:
                missing[str(reason)] = None
    for said in missing:
        print(f"{said}; left out.", file=sys.stderr)
    return found


def write(traces: Traces, dumbbell: Dumbbell, folder: Path) -> None:
    """Tables as CSV, the figure as SVG; both say which dumbbell in their names."""
    table = [SHARING]
    for algorithm in ALGORITHMS:
        table += sharing(algorithm.title, traces[algorithm.key], dumbbell)
        if dumbbell.key == FAST.key:
            grown = growth(algorithm.key, traces[algorithm.key], dumbbell)
            save(grown, folder / f"{algorithm.key}.csv")
    save(table, folder / f"{dumbbell.key}.csv")
    widths = [max(len(row[column]) for row in table) for column in range(len(SHARING))]
    print(dumbbell.name)
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    made = f"ackclock {version()}, commit {git_commit()}; command: {command_line()}"
    about = {"Title": f"Congestion windows at {dumbbell.name}", "Description": made}
    with rc_context(MATPLOTLIB):
        (folder / f"{dumbbell.key}.svg").write_bytes(image(draw(traces, dumbbell), "svg", about))


def save(table: Table, file: Path) -> None:
    """Writes a table as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table)
    file.write_text(text.getvalue(), encoding="utf-8")


def draw(traces: Traces, dumbbell: Dumbbell) -> Figure:
    """Windows over time: a row for each algorithm, a column for each flow, a line for each simulator."""
    figure, axes = new_figure(len(ALGORITHMS), 2, height=7.6, sharex=True, sharey=True)
    panels = iter(axes)
    for algorithm in ALGORITHMS:
        paper, *_, linux = algorithm.ours
        shown = {"paper": paper, "linux": linux, NS2: NS2, NS3: NS3}
        for flow, title in enumerate(("first", "second")):
            panel = next(panels)
            _panel(panel, traces[algorithm.key], shown, flow)
            panel.set_title(f"{algorithm.title}, {title} flow")
        axes[2 * ALGORITHMS.index(algorithm)].set_ylabel("cwnd in packets")
    for panel in axes[-2:]:
        panel.set_xlabel("time in s")
    axes[0].set_xlim(0, dumbbell.end_s)
    axes[0].set_ylim(0, None)
    handles, _ = axes[0].get_legend_handles_labels()
    labels = ["Ackclock, by the paper", "Ackclock, as Linux", NS2, NS3]
    figure.legend(handles, labels[: len(handles)], loc="outside upper center", ncols=4)
    return figure


def _panel(panel: Axes, traces: Mapping[str, Trace], shown: Mapping[str, str], flow: int) -> None:
    for key, name in shown.items():
        if name in traces:
            trace = traces[name]
            line = thinned(trace.time, trace.cwnd[:, flow], POINTS)
            panel.plot(*line, color=COLOURS[key], label=name, linewidth=0.8)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
