"""`python -m benches.growth`: how cost grows with the flows, and with the packets that each has in flight.

Cost that grows linearly would be a level line: the same number of packets per CPU-second whatever the size.
Every point is a process of its own, the fastest of several runs. `--figure` draws both lines, `--json` keeps
the numbers.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
from rich.console import Console
from rich.progress import track
from rich.table import Table

from ackclock.report import figures, style
from benches.cases import WIRE_BYTES, Case
from benches.rounds import run
from benches.simulators import Ackclock

ROUND_TRIP_S = 0.05
FLOWS = (10, 100, 1_000, 10_000, 100_000)
IN_FLIGHT = (10, 100, 1_000, 10_000, 100_000)
FLOWS_IN_FLIGHT = 10
"""Flows where the packets in flight of each are varied."""
FLOW_RATE = 1e6
"""Bits per second for each flow where their number is varied: a window of some four packets."""
LEAST_PACKETS = 2e6
"""Packets of a run, at the least: enough that setting up does not count."""
PATIENCE_S = 1800


@dataclass(frozen=True)
class Point:
    """One size of one line of the figure."""

    line: str
    size: int
    case: Case


def seconds(rate: float, least: float) -> str:
    """The time to simulate."""
    return f"{max(least, LEAST_PACKETS * WIRE_BYTES * 8 / rate):.0f} s"


BOTTLENECK = {
    "shared": "topology.graph.link.0.rate",
    "dumbbell": "topology.dumbbell.bottleneck.rate",
}


def with_flows(count: int, layout: str, transport: str) -> Case:
    """Long flows with four packets in flight each, over a bottleneck that grows with their number."""
    changes = grown(count, "flow", layout) | {"tcp.algorithm": transport}
    if layout == "dumbbell":
        changes["topology.dumbbell.pairs"] = str(count)
    return Case(f"{count}", f"thousand-flows-{layout}", changes)


def with_sources(count: int, group: str, scenario: str) -> Case:
    """Sources of datagrams, or clients with requests, over a link that grows with their number."""
    return Case(f"{count}", scenario, grown(count, group, "shared"), folder="benches")


def grown(count: int, group: str, layout: str) -> dict[str, str]:
    """What changes with the number of flows of a group: also their link, and the time."""
    rate = count * FLOW_RATE
    return {
        BOTTLENECK[layout]: f"{rate / 1e6:.0f} Mbit/s",
        f"{group}.0.count": str(count),
        "warm_up": "0 s",
        "duration": seconds(rate, 2),
    }


def with_window(packets: int) -> Case:
    """Ten flows with this many packets in flight each, held there by the receiver; nothing is lost."""
    rate = 1.2 * FLOWS_IN_FLIGHT * packets * WIRE_BYTES * 8 / ROUND_TRIP_S
    changes = {
        "topology.graph.link.0.rate": f"{rate / 1e6:.0f} Mbit/s",
        "topology.graph.link.0.buffer": "100000% bdp",
        "flow.0.count": str(FLOWS_IN_FLIGHT),
        "tcp.receive_window": f"{packets} packets",
        "warm_up": "0 s",
        "duration": seconds(rate, 2),
    }
    return Case(f"{packets}", "thousand-flows-shared", changes)


LINES: Mapping[str, Callable[[int], Case]] = {
    "TCP, one link each way": partial(with_flows, layout="shared", transport="sack"),
    "TCP, dumbbell": partial(with_flows, layout="dumbbell", transport="sack"),
    "ACK/NAK, dumbbell": partial(with_flows, layout="dumbbell", transport="acknak"),
    "BBR 3, one link each way": partial(with_flows, layout="shared", transport="bbr3"),
    "datagrams, one link": partial(with_sources, group="udp", scenario="datagrams"),
    "requests, one link each way": partial(with_sources, group="flow", scenario="requests"),
}
WINDOW_LINE = "TCP, ten flows on one link"


def points(flows: Sequence[int], windows: Sequence[int]) -> list[Point]:
    """All that is measured."""
    by_flows = [Point(line, count, case(count)) for line, case in LINES.items() for count in flows]
    return [*by_flows, *(Point(WINDOW_LINE, packets, with_window(packets)) for packets in windows)]


def measure(point: Point, runs: int) -> dict[str, Any]:
    """The fastest of several runs; how long any of them takes beyond that is other work's doing."""
    command = Ackclock().command(point.case)
    cpu, facts = min((run(command, PATIENCE_S) for _ in range(runs)), key=lambda result: result[0])
    return {
        "line": point.line,
        "size": point.size,
        "packets": facts["packets"],
        "cpu_s": cpu,
        "packets_per_cpu_s": facts["packets"] / (cpu - facts["set_up_cpu_s"]),
        "events_per_packet": facts["events"] / facts["packets"],
        "peak_memory_bytes": facts["peak_memory_bytes"],
    }


def table(results: Sequence[Mapping[str, Any]]) -> Table:
    """One row per point."""
    shown = Table(box=None, pad_edge=False, header_style="bold")
    shown.add_column("line\n")
    headings = (
        "flows, or packets\nin flight per flow",
        "packets/CPU-s\nmillion",
        "CPU time per\npacket, ns",
        "events\nper packet",
        "peak memory\nMB",
    )
    for heading in headings:
        shown.add_column(heading, justify="right")
    for result in results:
        shown.add_row(
            result["line"],
            f"{result['size']:,}",
            f"{result['packets_per_cpu_s'] / 1e6:.2f}",
            f"{1e9 / result['packets_per_cpu_s']:.0f}",
            f"{result['events_per_packet']:.2f}",
            f"{result['peak_memory_bytes'] / 1e6:.0f}",
        )
    return shown


def draw(results: Sequence[Mapping[str, Any]]) -> Any:
    """Packets per CPU-second over the number of flows, and over the packets in flight per flow."""
    with mpl.rc_context(style.MATPLOTLIB):
        figure, axes = figures.new_figure(1, 2, height=2.9, sharey=True)
        lines = list(dict.fromkeys(result["line"] for result in results))
        looks = style.looks(lines)
        for line in lines:
            look = looks[line]
            own = [result for result in results if result["line"] == line]
            axes[line == WINDOW_LINE].loglog(
                [result["size"] for result in own],
                [result["packets_per_cpu_s"] / 1e6 for result in own],
                color=look.colour,
                marker=look.marker,
                markersize=4,
                linewidth=1.2,
                label=line,
            )
        axes[0].set_xlabel("flows")
        axes[1].set_xlabel("packets in flight per flow")
        axes[0].set_ylabel("packets per CPU-second [million]")
        for axis in axes:
            axis.yaxis.set_major_formatter(mpl.ticker.FormatStrFormatter("%g"))
            axis.legend(loc="lower left")
        axes[0].set_ylim(0.1, 30)
    return figure


def main(arguments: Sequence[str]) -> int:
    """Returns 0."""
    parser = argparse.ArgumentParser(prog="python -m benches.growth", description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="runs per point, of which the fastest counts")
    parser.add_argument("--largest", type=int, default=100_000, help="leave larger sizes out")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="an SVG file to draw")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there too")
    chosen = parser.parse_args(arguments)
    flows = [count for count in FLOWS if count <= chosen.largest]
    windows = [packets for packets in IN_FLIGHT if packets <= chosen.largest]
    todo = points(flows, windows)
    shown = Console(stderr=True)
    results = [
        measure(point, chosen.runs) for point in track(todo, "measuring", console=shown, transient=True)
    ]
    console = Console()
    (console if console.is_terminal else Console(width=132)).print(table(results))
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    if chosen.figure is not None:
        title = {"Title": "Packets per CPU-second over the number of flows and their packets in flight"}
        chosen.figure.write_bytes(figures.image(draw(results), chosen.figure.suffix[1:], title))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
