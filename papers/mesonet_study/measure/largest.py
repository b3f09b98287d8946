"""Standard TCP at twelve settings of the eleven factors, with hundreds and with 10^5 active flows."""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib import rc_context
from matplotlib.figure import Figure

from ackclock import Sweep
from ackclock.report.figures import new_figure
from ackclock.report.style import BLUE, MATPLOTLIB, VERMILION
from ackclock.sweeps.design import LETTERS

RESPONSES = {
    "flows_active": "flows active",
    "utilisation_access": "utilisation (access)",
    "retransmission_rate": "retransmissions",
    "queueing_delay_access_s": "queueing delay (access)",
    "goodput_web_bit_per_s": "goodput, web",
    "goodput_document_bit_per_s": "goodput, documents",
}
"""The responses that every setting has."""


def settings_table(sweep: Sweep) -> pl.DataFrame:
    """A row per setting: its levels, the flows that were active, packets and processor time."""
    levels = [axis.name for axis in sweep.plan.axes]
    measured = {
        "active": pl.col("flows_active"),
        "packets_million": pl.col("packets") / 1e6,
        "cpu_s": pl.col("cpu_s"),
        "retransmissions_percent": 100 * pl.col("retransmission_rate"),
        "utilisation_percent": 100 * pl.col("utilisation_access"),
        "web_kbit_per_s": pl.col("goodput_web_bit_per_s") / 1e3,
    }
    return sweep.runs.sort("label", "point").select(*levels, **measured)


def effects_table(few: Sweep, many: Sweep) -> pl.DataFrame:
    """A row per response and network: main effects in per cent of the mean, and Lenth's margin."""
    rows = []
    for metric, title in RESPONSES.items():
        for sweep in (few, many):
            effects = shares(sweep, metric)
            row: dict[str, object] = {"response": title, "active": _active(sweep)}
            row |= dict(zip(_factors(sweep), effects["effect"], strict=True))
            rows.append(row | {"margin": float(effects["high"][0] - effects["low"][0]) / 2})
    return pl.DataFrame(rows)


def shares(sweep: Sweep, metric: str) -> pl.DataFrame:
    """Main effects on a response with their intervals, in per cent of its mean."""
    mean = float(np.mean(sweep.runs[metric].to_numpy()))
    per_cent = [pl.col(name) * 100 / mean for name in ("effect", "low", "high")]
    return sweep.effects(metric).with_columns(per_cent)


def effects_figure(few: Sweep, many: Sweep) -> tuple[Figure, str]:
    """The main effects of the eleven factors on each response, on both networks, and the caption."""
    factors = _factors(many)
    drawn = ((few, VERMILION, "s", -0.17), (many, BLUE, "o", 0.17))
    with rc_context(MATPLOTLIB):
        figure, panels = new_figure(2, 3, 5.8, None, sharey=True)
        for axes, (metric, title) in zip(panels, RESPONSES.items(), strict=True):
            for sweep, colour, marker, offset in drawn:
                for place, row in enumerate(shares(sweep, metric).iter_rows(named=True)):
                    fill = colour if row["is_decided"] else "white"
                    axes.plot(
                        row["effect"], place + offset, marker, color=colour, markerfacecolor=fill, ms=4,
                        ls="",
                        label=f"{_active(sweep)} active flows" if place == 0 else None,
                    )  # fmt: skip
            axes.axvline(0, color="#7a7a7a", lw=0.8, ls=":")
            axes.set_title(title)
            axes.set_yticks(range(len(factors)), factors)
            axes.set_ylim(len(factors) - 0.5, -0.5)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", ncols=2)
        figure.supxlabel("main effect in % of the mean", fontsize=9)
    return figure, (
        "Main effects under standard TCP with hundreds and with 10^5 active flows: the mean over six of "
        "twelve settings at a factor's second level less that at its first. The design is Plackett and "
        "Burman's, in which pairs of factors are spread over all main effects; one seed. Filled where the "
        "sign is decided among all eleven by Lenth's method."
    )


def note(sweep: Sweep) -> str:
    """What was run, in a paragraph."""
    runs = sweep.runs
    active, cpu = runs["flows_active"].to_numpy(), runs["cpu_s"].to_numpy()
    packets = float(runs["packets"].to_numpy().sum()) / 1e6
    return (
        f"With 10^5 active flows {runs.height} settings were run under standard TCP, one seed of 6 s each: "
        f"{active.min():,.0f} to {active.max():,.0f} flows are active, {active.mean():,.0f} on average; "
        f"{packets:.0f} million packets in {cpu.sum() / 60:.0f} minutes of a processor that other programs "
        f"kept busy, {cpu.min():.0f} to {cpu.max():.0f} s a run."
    )


def _factors(sweep: Sweep) -> list[str]:
    return [f"{LETTERS[place]}: {axis.name.replace('_', ' ')}" for place, axis in enumerate(sweep.plan.axes)]


def _active(sweep: Sweep) -> str:
    """The active flows, on average over the settings."""
    return f"{float(sweep.runs['flows_active'].to_numpy().mean()):,.0f}"
