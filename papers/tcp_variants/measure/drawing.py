"""The paper's figures drawn again, and two of our own on what it leaves open."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ackclock.report.curves import thinned
from ackclock.report.style import MATPLOTLIB, looks

from .choices import PAPER_KBIT_S, VARIANTS
from .shapes import Trace

NAMES = {"tahoe": "Tahoe", "newreno": "NewReno", "vegas": "Vegas"}
LOOKS = looks(VARIANTS)
GREY = "#7a7a7a"
POINTS = 1500


def windows(traces: Mapping[str, Trace]) -> Figure:
    """Figures 2 to 4: cwnd over time, a panel each, with the threshold."""
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(6.3, 5.4), layout="constrained")
        panels = figure.subplots(3, 1, sharex=True, sharey=True)
        for number, (axes, name) in enumerate(
            zip(panels, ("tahoe", "newreno", "vegas"), strict=True), start=2
        ):
            trace = traces[name]
            threshold = np.where(np.isfinite(trace.ssthresh), trace.ssthresh, np.nan)
            axes.plot(
                *thinned(trace.time, threshold, POINTS), color=GREY, lw=0.8, dashes=(4, 2), label="ssthresh"
            )
            axes.plot(*thinned(trace.time, trace.cwnd, POINTS), color=LOOKS[name].colour, label="cwnd")
            axes.set_title(f"Figure {number}: {NAMES[name]}")
            axes.set_ylabel("packets")
        panels[0].set_ylim(0, None)
        panels[0].set_xlim(0, float(traces["tahoe"].time[-1]))
        panels[0].legend(loc="upper right", ncols=2)
        panels[-1].set_xlabel("time in s")
    return figure


def throughput(traces: Mapping[str, Trace], wire_share: float) -> Figure:
    """Figure 5: throughput over time, since the beginning (lines) and second by second (thin)."""
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(6.3, 3.4), layout="constrained")
        axes = figure.subplots()
        for name in VARIANTS:
            trace, look = traces[name], LOOKS[name]
            ends, rates = trace.binned_rate(1.0)
            axes.plot(
                ends - 0.5, rates * wire_share / 1e3, color=look.colour, lw=0.6, alpha=0.7, ds="steps-mid"
            )
            time, mean = trace.running_mean_rate()
            axes.plot(
                *thinned(time, mean * wire_share / 1e3, 400), color=look.colour, lw=1.8, label=NAMES[name]
            )
            axes.axhline(PAPER_KBIT_S[name], color=look.colour, lw=0.8, ls=":")
            axes.annotate(
                f"{PAPER_KBIT_S[name]:.0f}", (1.005, PAPER_KBIT_S[name]), xycoords=("axes fraction", "data"),
                color=look.colour, fontsize=8, va="center",
            )  # fmt: skip
        axes.set(
            xlabel="time in s",
            ylabel="throughput in kbit/s",
            ylim=(0, 1100),
            xlim=(0, float(traces["vegas"].time[-1])),
        )
        axes.set_title("Figure 5: throughput since the beginning")
        axes.legend(loc="lower right", ncols=3)
    return figure


def over_udp_rates(table: pl.DataFrame, chosen_mbit_s: float) -> Figure:
    """The three throughputs over the UDP rate; grey where they are not in the paper's order."""
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(6.3, 3.8), layout="constrained")
        axes = figure.subplots()
        rates = table["udp_mbit_per_s"].to_numpy()
        _shade(axes, rates, ~table["in_order"].to_numpy())
        axes.plot(rates, (2 - rates) * 1e3, color=GREY, lw=0.8, label="what UDP leaves")
        for name in VARIANTS:
            look = LOOKS[name]
            values = table[f"{name}_kbit_per_s"].to_numpy()
            axes.plot(rates, values, color=look.colour, marker=look.marker, ms=2.5, label=NAMES[name])
            axes.axhline(PAPER_KBIT_S[name], color=look.colour, lw=0.8, ls=":")
        axes.axvline(chosen_mbit_s, color="black", lw=0.8, ls="--")
        axes.set(xlabel="UDP rate in Mbit/s", ylabel="TCP throughput in kbit/s", xlim=(rates[0], rates[-1]))
        axes.set_ylim(0, None)
        axes.set_title("Throughput over the rate of UDP")
        axes.legend(loc="upper right")
    return figure


def _shade(axes: Axes, rates: np.ndarray, marked: np.ndarray) -> None:
    """Marks the stretches between the middles of neighbouring rates."""
    middles = np.concatenate(([rates[0]], (rates[1:] + rates[:-1]) / 2, [rates[-1]]))
    for index in np.flatnonzero(marked):
        axes.axvspan(float(middles[index]), float(middles[index + 1]), color="#e8e8e8", lw=0)


def choices(table: pl.DataFrame) -> Figure:
    """The three throughputs for every other answer to what the paper leaves open."""
    with rc_context(MATPLOTLIB):
        figure = Figure(figsize=(6.3, 0.22 * table.height + 0.9), layout="constrained")
        axes = figure.subplots()
        rows = np.arange(table.height)[::-1]
        for row, wrong in zip(rows, ~table["in_order"].to_numpy(), strict=True):
            if wrong:
                axes.axhspan(row - 0.5, row + 0.5, color="#e8e8e8", lw=0)
        for name in VARIANTS:
            look = LOOKS[name]
            values = table[f"{name}_kbit_per_s"].to_numpy()
            axes.plot(values, rows, color=look.colour, marker=look.marker, ls="", label=NAMES[name])
            axes.axvline(PAPER_KBIT_S[name], color=look.colour, lw=0.8, ls=":")
        labels = [f"{q}: {a}" if a else q for q, a in zip(table["question"], table["answer"], strict=True)]
        axes.set_yticks(rows, labels)
        axes.set(xlabel="throughput in kbit/s", ylim=(-0.5, table.height - 0.5))
        axes.set_title("One other answer at a time")
        axes.grid(axis="y", visible=False)
        axes.legend(loc="lower left")
    return figure
