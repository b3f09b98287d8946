"""The paper's figures, with its numbers and axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ackclock.models import SubPacketModel
from ackclock.report.figures import new_figure

from .fairness import Fairness, needed
from .forecasts import EVENTS
from .forecasts import Runs as Foretold
from .gateway import PAIRS, QUEUES, Runs, fairness
from .rates import TRANSPORTS, Rates
from .study import Floats, Outcome, first
from .validation import COUNTER, READINGS, SPLIT, Validation, mean_shares, quantiles
from .webusers import Downloads
from .webusers import Runs as Hanging

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a7a7a")
KINDS = {"clockwork": "ns-2's defaults", "random": "timeouts from 1 s, random overhead"}
MARKERS = "osv^D<>x"
LABELS = {name: name.upper() for name in TRANSPORTS}
"""Of figure 6."""


def panels(height: float = 2.9) -> tuple[Figure, dict[str, Axes]]:
    """A panel for either kind of sender."""
    figure, axes = new_figure(1, 2, height=height, sharey=True)
    for axis, title in zip(axes, KINDS.values(), strict=True):
        axis.set_title(title)
    return figure, dict(zip(KINDS, axes, strict=True))


def legend_below(figure: Figure, axis: Axes, columns: int) -> None:
    """One legend for all panels."""
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, fontsize=7)


def figure_1(found: Downloads) -> Figure:
    """Download times against the size of the object."""
    figure, (axis,) = new_figure(height=2.9)
    table = found.table
    middle = table["bytes_from"].to_numpy() * 10**0.25
    for column, marker, label in (
        ("most_s", "^", "most"),
        ("high_s", "_", "90th percentile"),
        ("mean_s", "o", "mean"),
        ("low_s", "_", "10th percentile"),
        ("least_s", "v", "least"),
    ):
        axis.plot(middle, table[column], marker, markersize=5, label=label)
    axis.vlines(middle, table["least_s"], table["most_s"], color="#bbbbbb", linewidth=0.7)
    axis.set(xscale="log", yscale="log", xlabel="size of the object [bytes]", ylabel="download time [s]")
    axis.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def named(name: str, label: str) -> str:
    """The label of a line, with the name of a competitor before it."""
    return f"{name}: {label}" if name else label


def figure_4(found: Mapping[str, Hanging]) -> Figure:
    """The longest hangs of users, rising; users normalised to 100. The paper's TCP has the name ""."""
    figure, axes = panels(3.2)
    for kind, axis in axes.items():
        shown: dict[tuple[str, int, int], Floats] = {}
        for name, runs in found.items():
            for run in runs[kind]:
                shown.setdefault((name, run.users, run.connections), run.longest_s)
        for ((name, users, connections), hangs), colour in zip(shown.items(), cycle(COLOURS), strict=False):
            normalised = 100 * np.arange(1, hangs.size + 1) / hangs.size
            few = users == min(key[1] for key in shown)
            style = (":" if few else "-.") if name else ("-" if few else "--")
            label = named(name, f"{users} users, {connections} per user")
            axis.plot(normalised, hangs, style, color=colour, linewidth=1, label=label)
        axis.axhline(64, color="#bbbbbb", linewidth=0.6)
        axis.set(xlabel="users [%]", xlim=(0, 100), ylim=(0, 300))
    axes["clockwork"].set_ylabel("longest hang [s]")
    legend_below(figure, axes["clockwork"], 3)
    return figure


def figure_2(found: Mapping[str, Fairness]) -> Figure:
    """Jain's index over the whole run and over 20 s against the fair share."""
    figure, axes = panels(3.3)
    for kind, axis in axes.items():
        by_name = {name: first(one.by_share[kind]) for name, one in found.items()}
        keys = dict.fromkeys((name, o.case.rate_bit_s) for name, mine in by_name.items() for o in mine)
        for (name, rate), colour in zip(keys, cycle(COLOURS), strict=False):
            mine = [outcome for outcome in by_name[name] if outcome.case.rate_bit_s == rate]
            shares = [outcome.case.fair_share_bit_s / 1e3 for outcome in mine]
            label = named(name, f"{rate / 1e3:g} kbps")
            axis.plot(
                shares, [o.short_term for o in mine], "o-", color=colour, markersize=3, label=f"{label}, 20 s"
            )
            axis.plot(
                shares,
                [o.long_term for o in mine],
                "s:",
                color=colour,
                markersize=3,
                label=f"{label}, whole run",
            )
        axis.set(xlabel="fair share [kbit/s]", xscale="log", ylim=(0, 1.02))
        axis.set_xticks([2.5, 5, 10, 20, 40, 100], ["2.5", "5", "10", "20", "40", "100"])
        axis.minorticks_off()
    axes["clockwork"].set_ylabel("Jain's index")
    legend_below(figure, axes["clockwork"], 4 if len(found) == 1 else 2)
    return figure


def figure_3(found: Mapping[str, Fairness]) -> Figure:
    """The distribution of the flows' goodputs in slices of 20 s, a curve per slice."""
    figure, axes = panels()
    for kind, axis in axes.items():
        for (name, one), colour in zip(found.items(), cycle(COLOURS), strict=False):
            outcome = one.slices[kind][0]
            count = outcome.got.shape[1]
            ranks = np.arange(1, count + 1) / count
            for number, row in enumerate(outcome.got[::5]):
                label = (name or "the paper's TCP") if number == 0 and len(found) > 1 else None
                goodput = np.sort(row) / 1e3
                axis.plot(goodput, ranks, color=colour, linewidth=0.5, drawstyle="steps-post", label=label)
        fair = found[""].slices[kind][0].case.fair_share_bit_s / 1e3
        axis.axvline(fair, color="#444444", linestyle=":", linewidth=0.9)
        axis.axhline(0.3, color="#bbbbbb", linewidth=0.6)
        axis.axhline(0.6, color="#bbbbbb", linewidth=0.6)
        axis.set(xlabel="goodput in a slice [kbit/s]", ylim=(0, 1.02), xlim=(-1, 60))
    axes["clockwork"].set_ylabel("share of flows")
    if len(found) > 1:
        legend_below(figure, axes["clockwork"], len(found))
    return figure


def figure_5(found: Mapping[str, Mapping[str, Sequence[Outcome]]]) -> Figure:
    """Short-term fairness against the buffer per flow."""
    figure, axes = panels(3.2)
    for kind, axis in axes.items():
        keys = [
            (name, key)
            for name, runs in found.items()
            for key in sorted({(o.case.flows, o.case.rate_bit_s, o.case.packet_bytes) for o in runs[kind]})
        ]
        for (name, key), colour in zip(keys, cycle(COLOURS), strict=False):
            mine = [
                o
                for o in first(found[name][kind])
                if (o.case.flows, o.case.rate_bit_s, o.case.packet_bytes) == key
            ]
            each = [o.case.buffer_packets / o.case.flows for o in mine]
            enough = needed(mine)
            text = named(name, f"{key[0]} flows, {key[1] / 1e6:g} Mbps, {key[2]} bytes")
            axis.plot(each, [o.short_term for o in mine], "o-", color=colour, markersize=3, label=text)
            if enough == enough:
                axis.axvline(enough, color=colour, linewidth=0.6, linestyle=":")
        axis.axhline(0.9, color="#bbbbbb", linewidth=0.6)
        axis.set(xscale="log", xlabel="buffer [packets per flow]", ylim=(0, 1.02))
        axis.set_xticks([0.25, 0.5, 1, 2, 5, 10], ["1/4", "1/2", "1", "2", "5", "10"])
        axis.minorticks_off()
    axes["clockwork"].set_ylabel("Jain's index over 20 s")
    legend_below(figure, axes["clockwork"], 3)
    return figure


def figure_6(found: Rates) -> Figure:
    """TFRC and TCP over 20 s: fairness, and loss, across loads."""
    figure, axes = new_figure(2, 2, height=4.2, sharex=True, sharey="row")
    for column, (kind, title) in enumerate(KINDS.items()):
        upper, lower = axes[column], axes[2 + column]
        upper.set_title(title)
        for (name, outcomes), colour in zip(found[kind].items(), COLOURS, strict=False):
            mine = sorted(first(outcomes), key=lambda o: o.case.flows)
            flows = [o.case.flows for o in mine]
            upper.plot(
                flows,
                [o.short_term for o in mine],
                "o-",
                color=colour,
                markersize=3,
                label=LABELS.get(name, name),
            )
            lower.plot(flows, [100 * o.loss for o in mine], "o-", color=colour, markersize=3)
        for published, colour in zip((12.8, 20.7), COLOURS, strict=False):
            lower.plot([100], [published], "x", color=colour, markersize=6)
        lower.set(xlabel="flows over 1 Mbps", xscale="log")
        lower.set_xticks([15, 25, 50, 100, 200, 400], ["15", "25", "50", "100", "200", "400"])
        lower.minorticks_off()
        upper.set_ylim(0, 1.02)
    axes[0].set_ylabel("Jain's index over 20 s")
    axes[2].set_ylabel("packets lost [%]")
    axes[0].legend(loc="lower left")
    return figure


def figure_9(found: Validation, name: str = "figure-9") -> Figure:
    """The shares of "0 sent" to "5 sent" against the loss rate: simulated, and by the models."""
    figure, axes = new_figure(2, 3, height=5.0, sharex=True)
    p = np.linspace(0.005, 0.495, 120)
    curves = {
        "model, full": (SubPacketModel(), "-", "black"),
        "model, full, S_2(kr) to b*": (READINGS["full, failures of S_2(kr) to b*"], "--", "black"),
        "model, approximate": (SubPacketModel("approximate"), ":", "#666666"),
    }
    for sent, axis in enumerate(axes):
        for label, (model, line, colour) in curves.items():
            axis.plot(p, model.at(p).sent[:, sent], line, color=colour, linewidth=0.9, label=label)
        for kind, colour in zip(KINDS, COLOURS, strict=False):
            outcomes = sorted(found.drawn(name, kind), key=lambda outcome: outcome.loss)
            rates = sorted({outcome.case.rate_bit_s for outcome in outcomes})
            for rate, marker in zip(rates, MARKERS, strict=False):
                mine = [outcome for outcome in outcomes if outcome.case.rate_bit_s == rate]
                means = np.array([mean_shares(outcome)[sent] for outcome in mine])
                bars = np.array([[q[sent] for q in quantiles(outcome)] for outcome in mine]).T
                label = KINDS[kind] + (f", {rate / 1e3:g} kbps" if len(rates) > 1 else "")
                axis.errorbar(
                    [outcome.loss for outcome in mine],
                    means,
                    np.abs(bars - means),
                    fmt=marker,
                    color=colour,
                    markersize=3,
                    linewidth=0.6,
                    capsize=0 if len(rates) > 1 else 1.5,
                    label=label,
                )
        axis.set_title(f"{sent} sent")
        axis.set(xlim=(0, 0.4), ylim=(0, None))
        if sent >= 3:
            axis.set_xlabel("loss rate p")
        if sent % 3 == 0:
            axis.set_ylabel("share of epochs")
    # The names of several rates are too long for three columns.
    legend_below(figure, axes[0], 3 if name == "figure-9" else 2)
    return figure


def readings(found: Validation, far: Mapping[str, Mapping[str, Sequence[float]]]) -> Figure:
    """The distance of each reading of the model from the simulation, over the loss rate."""
    figure, axes = panels(3.6)
    for kind, axis in axes.items():
        outcomes = found.drawn("figure-9", kind)
        order = np.argsort([outcome.loss for outcome in outcomes])
        for (name, distances), colour in zip(far[kind].items(), (*COLOURS, "black", "#aaaaaa"), strict=False):
            axis.plot(
                [outcomes[i].loss for i in order],
                [distances[i] for i in order],
                "o-" if name not in (COUNTER, SPLIT) else "s--",
                color=colour,
                markersize=3,
                linewidth=0.9,
                label=name,
            )
        axis.set(xlabel="loss rate p", ylim=(0, None))
    axes["clockwork"].set_ylabel("mean absolute difference")
    legend_below(figure, axes["clockwork"], 2)
    return figure


def figure_12(found: Runs) -> Figure:
    """Short-term fairness for the four configurations."""
    figure, axes = panels(3.1)
    for kind, axis in axes.items():
        for name, colour in zip(QUEUES, COLOURS, strict=False):
            loads = sorted(flows for queue, flows in found[kind] if queue == name)
            index = [fairness(found[kind][name, flows]) for flows in loads]
            axis.plot(
                loads,
                index,
                "s--" if "gateway" in name else "o-" if name in PAIRS else "^:",
                color=colour,
                markersize=3,
                linewidth=0.9,
                label=name,
            )
        axis.set(xlabel="flows over 1 Mbps", ylim=(0, 1.02))
    axes["clockwork"].set_ylabel("Jain's index over 20 s")
    legend_below(figure, axes["clockwork"], 4)
    return figure


def forecasts(found: Foretold) -> Figure:
    """How often a silence came, against its forecast; dotted for silences of three epochs."""
    figure, axes = panels(3.4)
    for kind, axis in axes.items():
        axis.plot((0, 1), (0, 1), color="#bbbbbb", linewidth=0.7)
        for (flows, runs), colour in zip(found[kind].items(), COLOURS, strict=False):
            for event, style in zip(EVENTS, ("o-", "s:"), strict=True):
                scores = [one.scores[event] for one in runs]
                count = np.sum([one.made for one in scores], axis=0)
                with np.errstate(invalid="ignore"):
                    said = np.nansum([one.said * one.made for one in scores], axis=0) / count
                    came = np.nansum([one.came * one.made for one in scores], axis=0) / count
                often = count >= 0.001 * np.sum(count)
                label = f"{flows} flows" if event == EVENTS[0] else None
                axis.plot(
                    said[often], came[often], style, color=colour, markersize=3, linewidth=0.9, label=label
                )
        axis.set(xlabel="forecast", xlim=(0, 1), ylim=(0, 1))
    axes["clockwork"].set_ylabel("frequency")
    legend_below(figure, axes["clockwork"], 5)
    return figure
