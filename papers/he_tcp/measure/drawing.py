"""The paper's figures as runs, and ours on what it does not show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle

import numpy as np
import polars as pl
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import t as student

from ackclock.report.curves import thinned
from ackclock.report.figures import new_figure
from ackclock.report.style import BLUE, GREEN, MATPLOTLIB, ORANGE, PURPLE, SKY, VERMILION

from .study import HE_TCP, HS_TCP, PIPE_PACKETS, RENO, TITLES, Fairness, Floats, Trace, written

COLOURS = {HE_TCP: BLUE, HS_TCP: VERMILION, RENO: GREEN}
FURTHER = (PURPLE, ORANGE, SKY)
"""The colours of competitors, in turn."""
PHASES = {"SS": ORANGE, "RI": SKY, "CA": "#c8c8c8"}
GREY = "#7a7a7a"
POINTS = 1000
QUEUE = 10_000


def colours(names: Iterable[str]) -> dict[str, str]:
    """A colour for each algorithm."""
    given = list(names)
    further = zip((name for name in given if name not in COLOURS), cycle(FURTHER), strict=False)
    return {name: COLOURS[name] for name in given if name in COLOURS} | dict(further)


def words(name: str) -> str:
    """An algorithm's name for people."""
    return TITLES.get(name, name)


def _lines(axes: Axes) -> None:
    for level in (PIPE_PACKETS, PIPE_PACKETS + QUEUE):
        axes.axhline(level, color=GREY, lw=0.7, ls=":")


def _ticks(axes: Axes, times: Floats, colour: str) -> None:
    """Drops along the upper edge, if there are any: a line without points has no extent to lay out by."""
    if times.size == 0:
        return
    marks = np.unique(np.round(times, 1))
    axes.plot(
        marks,
        np.ones_like(marks),
        "|",
        color=colour,
        ms=6,
        transform=axes.get_xaxis_transform(),
        clip_on=False,
    )


def _window(axes: Axes, trace: Trace, colour: str, label: str) -> None:
    axes.plot(*thinned(trace.time, trace.cwnd, POINTS), color=colour, label=label)


SHOWN_S = 60.0
"""Of figure 1: the labels of more phases overlap."""


def figure_1(trace: Trace) -> Figure:
    """The window of the first minute with its phases behind it."""
    figure, (axes,) = new_figure(height=2.9)
    with rc_context(MATPLOTLIB):
        for rise in trace.rises():
            spans = []
            begin, end = float(rise.time[0]), float(rise.time[-1])
            if rise.is_first:
                steepest = float(rise.time[rise.steepest])
                spans.append(("SS", begin, steepest))
                begin = steepest
            landed = end if rise.landing is None else float(rise.time[rise.landing])
            spans += [("RI", begin, landed), ("CA", landed, end)]
            for name, low, last in spans:
                high = min(last, SHOWN_S)
                if high <= low:
                    continue
                axes.axvspan(low, high, color=PHASES[name], alpha=0.45, lw=0)
                if high - low > 2.4:
                    axes.annotate(
                        name, ((low + high) / 2, 0.03), xycoords=("data", "axes fraction"), ha="center",
                        fontsize=8,
                    )  # fmt: skip
        shown = trace.time <= SHOWN_S
        axes.plot(*thinned(trace.time[shown], trace.cwnd[shown], POINTS), color=BLUE)
        axes.axhline(PIPE_PACKETS, color=GREY, lw=0.8, ls=":")
        axes.annotate("$W_{AB}$", (1.005, PIPE_PACKETS), xycoords=("axes fraction", "data"), va="center")
        axes.set(xlim=(0, SHOWN_S), ylim=(0, 24_000), xlabel="time in s", ylabel="cwnd in packets")
        axes.set_title("Figure 1: phases of HE-TCP, with a loss rate of 1e-6")
    return figure


def figure_3(traces: Mapping[str, Trace]) -> Figure:
    """The windows of the three."""
    figure, (axes,) = new_figure(height=3.2)
    with rc_context(MATPLOTLIB):
        shown = colours(traces)
        for name, trace in traces.items():
            _window(axes, trace, shown[name], words(name))
        _lines(axes)
        top = max(float(np.max(trace.cwnd)) for trace in traces.values())
        end = float(traces[HE_TCP].time[-1])
        axes.set(xlim=(0, end), ylim=(0, 1.15 * top), xlabel="time in s", ylabel="cwnd in packets")
        axes.set_title("Figure 3: congestion windows, loss rate 1e-6")
        axes.legend(loc="upper right", ncols=len(traces))
    return figure


def start(traces: Mapping[str, Trace]) -> Figure:
    """The first seconds, a panel each."""
    return _panels(traces, "The start of a flow alone, without random losses", 52_000)


def conditions(traces: Mapping[str, Trace]) -> Figure:
    """HE-TCP's start by what happens to its acknowledgments."""
    return _panels(traces, "HE-TCP's start", 36_000)


def _panels(traces: Mapping[str, Trace], title: str, top: float) -> Figure:
    rows = (len(traces) + 1) // 2 if len(traces) > 3 else 1
    columns = 2 if len(traces) > 3 else len(traces)
    figure, panels = new_figure(rows, columns, 0.9 + 1.7 * rows, sharex=True, sharey=True)
    with rc_context(MATPLOTLIB):
        for axes, (name, trace) in zip(panels, traces.items(), strict=False):
            _window(axes, trace, BLUE, "cwnd")
            _lines(axes)
            _ticks(axes, trace.queue_drops, VERMILION)
            axes.set(xlim=(0, 30), ylim=(0, top))
            axes.set_title(words(name), pad=8)
        for empty in panels[len(traces) :]:
            empty.set_visible(False)
        for lowest in panels[len(traces) - columns : len(traces)]:
            lowest.tick_params(labelbottom=True)
        figure.supxlabel("time in s", fontsize=9)
        figure.supylabel("cwnd in packets", fontsize=9)
        figure.suptitle(title, fontsize=9, fontweight="bold", x=0.01, ha="left")
    return figure


def figure_4(table: pl.DataFrame, names: Sequence[str] = (HE_TCP, HS_TCP)) -> Figure:
    """The ratio over loss rates, and below it what it is the ratio of."""
    figure, (upper, lower) = new_figure(2, 1, 4.4, sharex=True)
    with rc_context(MATPLOTLIB):
        _band(upper, table, "ratio", "black", "HE-TCP / HS-TCP")
        upper.axhline(1, color=GREY, lw=0.8)
        upper.set_yscale("log")
        upper.set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
        upper.set_yticks([], minor=True)
        upper.set(ylabel="ratio, geometric mean", title="Figure 4: throughput ratio of HE-TCP and HS-TCP")
        for name, colour in colours(names).items():
            _band(lower, table, name, colour, words(name))
        lower.set(xscale="log", xlabel="loss rate", ylabel="goodput, share of the link", ylim=(0, 1.05))
        lower.legend(loc="lower left")
        for axes in (upper, lower):
            for loss in (1e-7, 3e-6):
                axes.axvline(loss, color=GREY, lw=0.8, ls=":")
    return figure


def _band(axes: Axes, table: pl.DataFrame, name: str, colour: str, label: str) -> None:
    axes.plot(table["loss"], table[name], color=colour, marker="o", ms=3.5, label=label)
    low, high = table[f"{name}_low"].to_list(), table[f"{name}_high"].to_list()
    axes.fill_between(table["loss"].to_list(), low, high, color=colour, alpha=0.2, lw=0)


def figure_5(curves: Mapping[float, Mapping[str, Sequence[Fairness]]]) -> Figure:
    """Jain's index over time, a panel per loss rate."""
    figure, panels = new_figure(1, len(curves), 2.8, sharey=True)
    with rc_context(MATPLOTLIB):
        for axes, (loss, both) in zip(panels, curves.items(), strict=True):
            shortest = min(curve.time.size for mine in both.values() for curve in mine)
            time = both[HE_TCP][0].time[:shortest]
            shown = colours(both)
            for name, mine in both.items():
                recent = np.array([curve.recent[:shortest] for curve in mine])
                mean = recent.mean(axis=0)
                half = student.ppf(0.975, len(mine) - 1) * recent.std(axis=0, ddof=1) / np.sqrt(len(mine))
                axes.plot(time, mean, color=shown[name], label=words(name))
                axes.fill_between(
                    time, mean - half, np.minimum(mean + half, 1), color=shown[name], alpha=0.2, lw=0
                )
                so_far = np.mean([curve.so_far[:shortest] for curve in mine], axis=0)
                axes.plot(time, so_far, color=shown[name], lw=0.7, ls="--")
            axes.axhline(Fairness.CONVERGED, color=GREY, lw=0.7, ls=":")
            axes.set(ylim=(0.45, 1.02), xlim=(0, float(time[-1])), xlabel="s since the second flow began")
            axes.set_title(f"Figure 5: loss rate {written(loss)}")
        panels[0].set_ylabel("Jain's index")
        panels[0].legend(loc="lower right")
    return figure


def freed(traces: Mapping[str, Trace]) -> Figure:
    """Goodput of each algorithm around the time when half of the link becomes free."""
    figure, (axes,) = new_figure(height=2.8)
    with rc_context(MATPLOTLIB):
        shown = colours(traces)
        for name, trace in traces.items():
            axes.plot(trace.time, trace.goodput / 1e6, color=shown[name], label=words(name))
        axes.axhline(768, color=GREY, lw=0.7, ls=":")
        axes.axvline(40, color=GREY, lw=0.7, ls=":")
        axes.set(xlim=(30, 80), ylim=(0, 860), xlabel="time in s", ylabel="goodput in Mbit/s")
        axes.set_title("UDP leaves half of the link at 40 s")
        axes.legend(loc="lower right")
    return figure


def company(table: pl.DataFrame) -> Figure:
    """Shares in competition with Reno and CUBIC, with intervals."""
    figure, (axes,) = new_figure(height=0.24 * table.height + 1.2)
    with rc_context(MATPLOTLIB):
        rows = np.arange(table.height)[::-1]
        names = table["flow"].unique(maintain_order=True).to_list()
        colours = dict(zip(names, (BLUE, VERMILION, GREEN, ORANGE), strict=False))
        for row, entry in zip(rows, table.iter_rows(named=True), strict=True):
            if np.isfinite(entry["low"]):
                axes.plot(
                    [entry["low"], entry["high"]], [row, row], color=colours[entry["flow"]], lw=2.5, alpha=0.4
                )
            axes.plot(entry["share"], row, "o", color=colours[entry["flow"]])
        labels = [
            f"{flow} beside {other}, loss {written(loss)}"
            for flow, other, loss in table.select("flow", "beside", "loss").iter_rows()
        ]
        axes.set_yticks(rows, labels)
        axes.axvline(0.5, color=GREY, lw=0.8, ls=":")
        axes.set(xlim=(0, 1.02), xlabel="share of what both get", title="Two flows on one bottleneck")
        axes.grid(axis="y", visible=False)
    return figure
