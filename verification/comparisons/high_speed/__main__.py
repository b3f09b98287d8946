"""Runs the dumbbells in all simulators that are installed, writes tables and figures.

`python -m verification.comparisons.high_speed` says so where ns-2 or ns-3 is missing, and runs the others.
Their output is kept in `.cache/peers`, since ns-3 takes a CPU-second for each second of the faster dumbbell.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ackclock.provenance import command_line
from ackclock.report.curves import thinned
from ackclock.report.figures import image, new_figure
from ackclock.report.style import MATPLOTLIB
from verification.comparisons.high_speed.dumbbell import ALGORITHMS, DUMBBELLS, FAST, Dumbbell
from verification.comparisons.high_speed.simulators import Trace, runs
from verification.comparisons.high_speed.tables import SHARING, growth, sharing
from verification.comparisons.publication import folder, made, parser, print_rows, write_rows, write_versions
from verification.peers.harness import NS2, NS3, NotInstalledError

REPOSITORY = Path(__file__).resolve().parents[3]
RESULTS = REPOSITORY / "results" / "high-speed"
QUICK_S = 8.0
POINTS = 300
COLOURS = {"paper": "#0072b2", "linux": "#56b4e9", NS2: "#e69f00", NS3: "#d55e00"}

Traces = dict[str, dict[str, Trace]]
"""By algorithm and run."""


def main(arguments: Sequence[str]) -> int:
    """Returns 0."""
    asked = parser("high_speed", __doc__)
    asked.add_argument("--quick", action="store_true", help=f"{QUICK_S:g} s of each dumbbell, to try it")
    asked.add_argument("--folder", type=Path, default=RESULTS, help="where tables and figures go")
    chosen = asked.parse_args(arguments)
    if chosen.publish and chosen.quick:
        asked.error("the documentation shows the full runs")
    target: Path = folder("high-speed-agents") if chosen.publish else chosen.folder
    target.mkdir(parents=True, exist_ok=True)
    dates = set()
    for dumbbell in DUMBBELLS:
        measured = dumbbell.shorter(QUICK_S) if chosen.quick else dumbbell
        traces = run_all(measured)
        write(traces, measured, target)
        dates |= {trace.date for by_run in traces.values() for trace in by_run.values()}
    write_versions(target, *sorted(dates))
    print(f"{made(*sorted(dates))}. Tables and figures: {target}")
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


def write(traces: Traces, dumbbell: Dumbbell, target: Path) -> None:
    """Tables as CSV, the figure as its data; both say which dumbbell in their names."""
    table = [SHARING]
    for algorithm in ALGORITHMS:
        table += sharing(algorithm.title, traces[algorithm.key], dumbbell)
        if dumbbell.key == FAST.key:
            grown = growth(algorithm.key, traces[algorithm.key], dumbbell)
            write_rows(grown, target / f"{algorithm.key}.csv")
    write_rows(table, target / f"{dumbbell.key}.csv")
    print(dumbbell.name)
    print_rows(table)
    about = {"Title": f"Congestion windows at {dumbbell.name}", "Description": f"{made()}; {command_line()}"}
    with rc_context(MATPLOTLIB):
        figure = image(draw(traces, dumbbell), "json", about)
        (target / f"{dumbbell.key}.json").write_bytes(figure)


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
