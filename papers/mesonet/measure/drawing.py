"""The chapter's figures drawn again in its axes, and ours on what its measures leave out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import cycle

import numpy as np
import polars as pl
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ackclock.report.curves import thinned
from ackclock.report.style import BLUE, GREEN, MATPLOTLIB, ORANGE, VERMILION

from .schematic import Schematic
from .study import BUFFERS, RTTS_MS, TITLES, Cell, Outcome, Run, words
from .traces import END_S, SECOND_START_S

HEIGHTS = {42: 1200, 162: 4500, 324: 9000}
"""The chapter's y axes, in packets."""
FIRST_FIGURE = 7
"""Figure 5-7 is TCP at 42 ms; then by configuration and round-trip time."""
POINTS = 500
GREY = "#7a7a7a"
RTT_COLOURS = {42: BLUE, 162: ORANGE, 324: GREEN}
MARKERS = dict(zip(TITLES, "o^v<>Dsph", strict=True))
FURTHER = ("*", "P", "X")
"""The marks of competitors, in turn."""


def markers(cells: Iterable[Cell]) -> dict[str, str]:
    """A mark for each configuration of the chapter, and for each competitor."""
    further = dict.fromkeys(name for name, _ in cells if name not in MARKERS)
    return MARKERS | dict(zip(further, cycle(FURTHER), strict=False))


def windows(name: str, grid: Mapping[Cell, Run]) -> Figure:
    """A configuration's figures: windows over time in units of 0.1 s, with the chapter's averages."""
    rtts = [rtt for rtt in RTTS_MS if (name, rtt) in grid]
    place = list(TITLES).index(name) if name in TITLES else None
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(6.3, 0.4 + 2.05 * len(rtts)), layout="constrained")
        panels = np.atleast_1d(figure.subplots(len(rtts), 1, sharex=True))
        for axes, rtt in zip(panels, rtts, strict=True):
            run = grid[name, rtt]
            both = run.windows.time >= SECOND_START_S
            for time, cwnd, colour, label in (
                (run.windows.time, run.windows.first, BLUE, "first flow"),
                (run.windows.time[both], run.windows.second[both], VERMILION, "second flow"),
            ):
                x, y = thinned(10 * time, cwnd, POINTS)
                axes.plot(x, y, color=colour, lw=0.9, label=label)
            axes.set(xlim=(0, 10 * END_S), ylim=(0, HEIGHTS[rtt]), ylabel="cwnd in packets")
            number = FIRST_FIGURE + len(RTTS_MS) * (place or 0) + RTTS_MS.index(rtt)
            which = "" if place is None else f"Figure 5-{number}: "
            axes.set_title(f"{which}{words(name)}, rtt = {rtt} ms", pad=16)
            # On a line of its own under the title, which leaves no room next to it, and above the curves.
            axes.annotate(averages(run), (0, 1), (0, 5), "axes fraction", "offset points", fontsize=7.5)
        panels[0].legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0.2)
        panels[-1].set_xlabel("time in 0.1 s")
    return figure


def averages(run: Run) -> str:
    """The average windows that the chapter's figures carry."""
    alone = run.windows.average(0, 0, SECOND_START_S)
    first, second = run.outcome.windows
    return f"average: one flow {alone:.0f}; both {first + second:.0f} = {first:.0f} + {second:.0f}"


def schematics(flows: Mapping[str, Schematic]) -> Figure:
    """Figures 5-4 and 5-5: window and threshold over time."""
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(6.3, 4.6), layout="constrained")
        panels = figure.subplots(len(flows), 1, sharex=True)
        for axes, (title, flow) in zip(panels, flows.items(), strict=True):
            axes.plot(
                *thinned(flow.time, np.where(flow.ssthresh < 1e6, flow.ssthresh, np.nan), POINTS),
                color=GREY,
                lw=0.8,
                dashes=(4, 2),
                label="sst",
            )
            axes.plot(*thinned(flow.time, flow.cwnd, POINTS), color=BLUE, label="cwnd")
            axes.set(ylim=(0, 160), xlim=(0, 100), ylabel="packets", title=title)
        panels[0].legend(loc="upper right", ncols=2)
        panels[-1].set_xlabel("time in s")
    return figure


def cells(table: pl.DataFrame) -> Figure:
    """Tables 5-10 and 5-11: published, ours, and the range of jittered starts."""
    names = {"link": "link use", "buffer": "buffer use", "fairness": "Jain's index"}
    rtts = table["rtt_ms"].unique().sort().to_list()
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(6.3, 1 + 1.7 * len(rtts)), layout="constrained")
        panels = figure.subplots(len(rtts), len(names), sharey=True, squeeze=False)
        for row, rtt in enumerate(rtts):
            for axes, (key, title) in zip(panels[row], names.items(), strict=True):
                rows = table.filter((pl.col("rtt_ms") == rtt) & (pl.col("table") == key))
                _dots(axes, rows)
                axes.set_xlim({"link": (0.78, 1.02), "buffer": (-0.05, 1.05), "fairness": (0.45, 1.03)}[key])
                axes.set_title(f"{title}, {rtt} ms")
        panels[0][0].legend(loc="lower left", fontsize=6.5)
    return figure


def _dots(axes: Axes, rows: pl.DataFrame) -> None:
    places = np.arange(rows.height)[::-1]
    axes.hlines(places, rows["least"], rows["most"], color=BLUE, lw=3, alpha=0.35, label="ours, other starts")
    axes.plot(rows["ours"], places, "o", color=BLUE, ms=3.5, label="ours")
    axes.plot(rows["published"], places, "|", color=VERMILION, ms=8, mew=1.6, label="published")
    axes.set_yticks(places, [words(name) for name in rows["configuration"]])
    axes.tick_params(axis="y", labelsize=7)


def surrogate(grid: Mapping[Cell, Run]) -> Figure:
    """The bottleneck as inferred from average windows, against the measurements there."""
    outcomes = {cell: run.outcome for cell, run in grid.items()}
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(6.3, 4.0), layout="constrained")
        left, right = figure.subplots(1, 2)
        _scatter(left, {cell: (o.link, o.utilisation) for cell, o in outcomes.items()})
        _scatter(right, {cell: (o.buffer, _measure(o, "queue")) for cell, o in outcomes.items()})
        for axes, low, what in ((left, 0.83, "link utilisation"), (right, 0.0, "buffer utilisation")):
            _diagonal(axes, (low, 1))
            axes.set(xlabel=f"{what} by average cwnd", ylabel="measured")
        _legend(figure, grid)
    return figure


def transports(abstract: Mapping[Cell, Outcome], full: Mapping[Cell, Outcome]) -> Figure:
    """The three measures over the abstract transport, against the same over full TCP."""
    names = {
        "utilisation": "measured link utilisation",
        "queue": "mean queue / buffer",
        "fairness": "Jain's index",
    }
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(6.3, 3.2), layout="constrained")
        for axes, (key, title) in zip(figure.subplots(1, 3), names.items(), strict=True):
            _scatter(
                axes, {cell: (_measure(abstract[cell], key), _measure(full[cell], key)) for cell in full}
            )
            _diagonal(axes, axes.get_xlim())
            axes.set(xlabel="ACK/NAK transport", title=title)
        figure.axes[0].set_ylabel("full TCP (SACK)")
        _legend(figure, full)
    return figure


def _scatter(axes: Axes, points: Mapping[Cell, tuple[float, float]]) -> None:
    marks = markers(points)
    for (name, rtt), (x, y) in points.items():
        axes.plot(x, y, marks[name], color=RTT_COLOURS[rtt], ms=4.5, mew=1, fillstyle="none")


def _diagonal(axes: Axes, ends: tuple[float, float]) -> None:
    """Where both measures agree."""
    axes.plot(ends, ends, color=GREY, lw=0.8, dashes=(4, 2), zorder=0)


def _legend(figure: Figure, cells: Iterable[Cell]) -> None:
    """Colours are round-trip times, marks are configurations."""
    cells = list(cells)
    rtts = sorted({rtt for _, rtt in cells})
    lines = [Line2D([], [], marker="s", ls="", color=RTT_COLOURS[rtt], label=f"{rtt} ms") for rtt in rtts]
    lines += [
        Line2D([], [], marker=mark, ls="", color=GREY, fillstyle="none", label=words(name))
        for name, mark in markers(cells).items()
    ]
    figure.legend(handles=lines, loc="outside lower center", ncols=4, fontsize=7)


def _measure(outcome: Outcome, key: str) -> float:
    if key == "queue":
        return float(outcome.queue / BUFFERS[outcome.rtt_ms])
    return float(outcome.utilisation if key == "utilisation" else outcome.fairness)
