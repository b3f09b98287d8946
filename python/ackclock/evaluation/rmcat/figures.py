"""The strip of a case: rates, round trip and queue of every call over time, in the run of the first seed."""

from __future__ import annotations

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ackclock.evaluation.networks import BOTTLENECK
from ackclock.evaluation.rmcat.case import Case
from ackclock.evaluation.rmcat.networks import HIGHEST
from ackclock.evaluation.rmcat.quantities import Calls
from ackclock.measures.record import RunRecord
from ackclock.report import style
from ackclock.report.figures import new_figure
from ackclock.report.text import for_figures

__all__ = ["strip"]


def strip(case: Case, result: RunRecord) -> Figure:
    """Target and received rate of each call above, its round trip below; shaded are the spans judged."""
    calls = Calls(result)
    with rc_context(style.MATPLOTLIB):
        figure, axes = new_figure(2, 1, height=4.6, sharex=True)
        _rates(axes[0], calls)
        _round_trips(axes[1], calls)
        for axis in axes:
            for low, high in case.settled.values():
                axis.axvspan(low, high, color="#000000", alpha=0.05, linewidth=0)
        axes[1].set_xlabel("time [s]")
        axes[1].set_xlim(0, result.scenario.duration_s)
        handles, words = axes[0].get_legend_handles_labels()
        figure.legend(handles, words, loc="outside upper right", ncols=6, fontsize=8)
    return figure


def _rates(axis: Axes, calls: Calls) -> None:
    looks = style.looks(tuple(calls.names))
    gauges = calls.result.columns("gauges")
    is_target = np.array([str(name) == "target_bit_per_s" for name in gauges["name"]], dtype=bool)
    flow, time = np.asarray(gauges["flow"])[is_target], np.asarray(gauges["time_s"], dtype=float)[is_target]
    target = np.asarray(gauges["value"], dtype=float)[is_target]
    highest = 0.0
    for place, (row, name) in enumerate(zip(calls.rows, calls.names, strict=True)):
        colour = looks[name].colour
        mine = flow == row
        axis.plot(time[mine], target[mine] / 1e6, color=colour, linewidth=0.7, linestyle=":")
        rates = calls.rates[place] / 1e6
        axis.plot(calls.times, rates, color=colour, linewidth=1, label=for_figures(name))
        highest = max(highest, float(rates.max()))
    axis.plot([], [], color="#5d6873", linewidth=0.7, linestyle=":", label="target")
    time, capacity = _capacity(calls)
    top = max(1.1 * highest, 1.05 * HIGHEST / 1e6)
    least = float(capacity.min()) / 1e6
    said = "capacity" if least <= top else f"capacity, {least:g} Mbit/s, above the axis"
    axis.step(time, capacity / 1e6, where="post", color="#5d6873", linewidth=1, label=said)
    axis.set_ylim(0, top)
    axis.set_ylabel("rate [Mbit/s]")


def _capacity(calls: Calls) -> tuple[np.ndarray, np.ndarray]:
    """The capacity of the bottleneck over time, in bit/s."""
    links = calls.result.columns("links")
    link = list(links["name"]).index(BOTTLENECK)
    series = calls.result.columns("link_series")
    mine = np.asarray(series["link"]) == link
    capacity = np.asarray(series["capacity_bit_per_s"], dtype=float)[mine]
    steady = float(links["rate_bit_per_s"][link])
    return np.asarray(series["time_s"], dtype=float)[mine], np.where(np.isfinite(capacity), capacity, steady)


def _round_trips(axis: Axes, calls: Calls) -> None:
    looks = style.looks(tuple(calls.names))
    series = calls.result.columns("flow_series")
    flow, time = np.asarray(series["flow"]), np.asarray(series["time_s"], dtype=float)
    trip = np.asarray(series["rtt_s"], dtype=float)
    for row, name in zip(calls.rows, calls.names, strict=True):
        mine = flow == row
        axis.plot(time[mine], 1e3 * trip[mine], color=looks[name].colour, linewidth=0.8)
    axis.set_ylim(bottom=0)
    axis.set_ylabel("round trip [ms]")
