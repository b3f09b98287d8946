"""The figure of every algorithm's page: its behaviour on one of four small scenarios."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import ackclock
from ackclock.report.curves import thinned
from ackclock.report.style import MATPLOTLIB, TEXT_WIDTH

SCENARIO_FILES = Path(__file__).with_suffix("")
SCENARIOS = {"slow start": "beginning", "recovery": "losses", "subpacket": "many-flows"}
"""The scenario by kind, or by name; two-flows for all others."""
COLOURS = ("#0072b2", "#d55e00")
BOTTLENECK = "left->right"
POINTS = 800
NEEDS_MARKS = {"dctcp", "prague"}


def names() -> Iterator[tuple[str, str, str]]:
    """The name of each figure, and the kind and the name of its algorithm."""
    for algorithm in ackclock.list_algorithms():
        if algorithm.kind != "preset":
            yield file_name(algorithm.kind, algorithm.name), algorithm.kind, algorithm.name


def file_name(kind: str, name: str) -> str:
    """The name of an algorithm's figure: an avoidance has the plain name where several have it."""
    kinds = [algorithm.kind for algorithm in ackclock.list_algorithms() if algorithm.name == name]
    return name if len(kinds) == 1 or kind == "avoidance" else f"{name}-{kind.replace(' ', '-')}"


def scenario_of(kind: str, name: str) -> str:
    """The scenario that shows the algorithm."""
    return SCENARIOS.get(name, SCENARIOS.get(kind, "two-flows"))


def spec_of(kind: str, name: str) -> str:
    """The algorithm combined with standard parts."""
    match kind:
        case "recovery" | "transport" | "controller":
            return name if name != "vegas" else "vegas+standard+reno"
        case "slow start":
            return f"sack+{name}+reno"
        case _:
            return f"sack+{name}"


def scenario_for(kind: str, name: str) -> ackclock.Scenario:
    """The scenario, with the queue that the algorithm needs."""
    scenario = ackclock.load_scenario(SCENARIO_FILES / f"{scenario_of(kind, name)}.toml")
    if name in NEEDS_MARKS:
        scenario = scenario.with_value("topology.dumbbell.bottleneck.ecn_threshold", "150 packets")
    if name == "xcp":
        scenario = scenario.with_value("topology.dumbbell.bottleneck.queue", "xcp")
    return scenario


def draw(kind: str, name: str) -> Figure:
    """Windows above, the queue below."""
    spec, scenario = spec_of(kind, name), scenario_for(kind, name)
    key = scenario_of(kind, name)
    result = ackclock.run(scenario, algorithm=spec)
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(TEXT_WIDTH, 3.4), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
        series, names = result.flow_series, result.flows["name"].to_list()
        for colour, flow in zip(COLOURS, series["flow"].unique(maintain_order=True), strict=False):
            rows = series.filter(pl.col("flow") == flow)
            time, cwnd = rows["time_s"].to_numpy(), rows["cwnd_packets"].to_numpy()
            label = names[int(flow)] if key in ("two-flows", "many-flows") else "cwnd"
            above.plot(*thinned(time, np.where(cwnd > 0, cwnd, np.nan), POINTS), color=colour, label=label)
        if kind == "recovery":
            show_repair(above, series)
        above.set_ylabel("cwnd in packets")
        above.set_ylim(0, None)
        if kind != "slow start":
            above.legend(loc="upper right", ncols=3)
        links = result.links.filter(pl.col("name") == BOTTLENECK)
        queue = result.link_series.filter(pl.col("link") == links["link"].item())
        below.plot(
            *thinned(queue["time_s"].to_numpy(), queue["queue_packets"].to_numpy(), POINTS),
            color="#7a7a7a",
        )
        below.set_ylabel("queue in packets")
        below.set_ylim(0, None)
        below.set_xlabel("time in s")
        below.set_xlim(0.6 if kind == "recovery" else 0, scenario.duration_s)
        above.set_title(spec)
    return figure


def show_repair(axes: Axes, series: pl.DataFrame) -> None:
    """The data in flight, and the times of retransmissions."""
    time = series["time_s"].to_numpy()
    axes.plot(
        *thinned(time, series["in_flight_packets"].to_numpy(), POINTS), color="#56b4e9", label="in flight"
    )
    again = np.diff(series["retransmissions"].to_numpy().astype(float), prepend=0.0) > 0
    axes.plot(time[again], np.zeros(again.sum()), "|", color=COLOURS[1], ms=9, label="sent again")
