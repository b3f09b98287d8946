"""The figure of every queue discipline: the rates of flows, and the queueing delays of their packets.

A discipline has the scenario of its name in the folder `queues`, a built-in one, or the one that all others
share.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import polars as pl
from matplotlib import rc_context
from matplotlib.figure import Figure

import ackclock
from ackclock.report.curves import Floats
from ackclock.report.style import MATPLOTLIB, TEXT_WIDTH

SCENARIO_FILES = Path(__file__).with_suffix("")
BUILT_IN = {"dualpi2": "l4s-home"}
BOTTLENECK = "left->right"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
INTERVAL_S = 0.5
"""The time over which rates are averaged."""
POINTS = 350
LEAST_WAIT_MS = 0.01
"""The place of shorter waits on the logarithmic axis."""


def scenario_of(queue: str) -> ackclock.Scenario:
    """The scenario that shows the discipline, with captures before and behind the bottleneck."""
    own = SCENARIO_FILES / f"{queue}.toml"
    if queue in BUILT_IN:
        scenario = ackclock.load_scenario(BUILT_IN[queue])
    elif own.exists():
        scenario = ackclock.load_scenario(own)
    else:
        shared = ackclock.load_scenario(SCENARIO_FILES / "shared.toml")
        scenario = shared.with_value("topology.dumbbell.bottleneck.queue", queue)
    pairs = int(tomllib.loads(scenario.to_toml())["topology"]["dumbbell"]["pairs"])
    links = [BOTTLENECK, *(f"src{pair + 1}->left" for pair in range(pairs))]
    return scenario.with_value("trace.packets", str(links).replace("'", '"'))


def draw(queue: str) -> Figure:
    """Rates above, queueing delays below."""
    result = ackclock.run(scenario_of(queue))
    names = result.flows["name"].to_list()
    seen = [packets(result, flow) for flow in range(len(names))]
    # Some packet finds the link idle.
    delay_s = min(float(delays.min()) for _, _, delays in seen)
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(TEXT_WIDTH, 3.6), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        for flow, (name, (departed, size, delays)) in enumerate(zip(names, seen, strict=True)):
            colour = COLOURS[flow % len(COLOURS)]
            edges = np.arange(0, result.scenario.duration_s + INTERVAL_S, INTERVAL_S)
            bits = np.histogram(departed, edges, weights=8.0 * size)[0]
            above.plot(edges[:-1] + INTERVAL_S / 2, bits / INTERVAL_S / 1e6, color=colour, label=name)
            waits = np.maximum(1e3 * (delays - delay_s), LEAST_WAIT_MS)
            shown = slice(None, None, max(1, len(waits) // POINTS))
            below.plot(departed[shown], waits[shown], ".", color=colour, markersize=1.5)
        above.set(ylabel="rate [Mbit/s]", ylim=(0, 1.25 * above.get_ylim()[1]), title=queue)
        above.legend(loc="upper right", ncols=len(names))
        below.set(
            ylabel="queueing delay [ms]",
            yscale="log",
            xlabel="time [s]",
            xlim=(0, result.scenario.duration_s),
        )
    return figure


def packets(result: ackclock.Result, flow: int) -> tuple[Floats, Floats, Floats]:
    """A flow's packets through the bottleneck: departure, bytes, and delay without the transmission."""
    link = result.links.filter(pl.col("name") == BOTTLENECK).row(0, named=True)
    seen = result.packets.filter(pl.col("flow") == flow)
    is_behind = pl.col("link") == link["link"]
    before = seen.filter(~is_behind).select("sequence", "wire_bytes", arrived="time_s")
    behind = seen.filter(is_behind).select("sequence", departed="time_s")
    # A retransmission repeats the sequence number of a packet.
    both = before.unique("sequence", keep="none").join(behind.unique("sequence", keep="none"), on="sequence")
    both = both.sort("departed")
    departed, size = both["departed"].to_numpy(), both["wire_bytes"].to_numpy()
    return departed, size, departed - both["arrived"].to_numpy() - 8.0 * size / link["rate_bit_per_s"]
