"""Figures of a designed experiment: main effects, half-normal plots, samples, indices, joint responses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
import polars as pl
import scipy
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ackclock.report import style
from ackclock.report.canvas import new_figure
from ackclock.report.text import for_figures
from ackclock.sweeps import effects as analysis
from ackclock.sweeps import responses
from ackclock.sweeps.design import LETTERS
from ackclock.sweeps.figures import described, scale_of, short

if TYPE_CHECKING:
    from ackclock.sweeps.record import SweepRecord

__all__ = [
    "clusters",
    "components",
    "correlation",
    "half_normal",
    "indices",
    "main_effects",
    "of_metric",
    "samples",
]

Width = float | str | None
"""A width in inches, or its name."""

COLUMNS = 4
MOST_NAMED = 8
"""The most effects of a half-normal plot with their names."""


def of_metric(sweep: SweepRecord, key: str, width: Width = None) -> Iterator[tuple[str, str, Figure]]:
    """The figures of one metric for the plan's design: name, title, figure."""
    design = sweep.plan.design
    title = described(key, 0)[0]
    if design is None or sweep.summary.filter(pl.col("metric") == key).is_empty():
        return
    if not design.is_two_level:
        yield f"{key}-samples", title, samples(sweep, key, width)
        if design.kind == "saltelli" and not analysis.sobol_indices(sweep, key).is_empty():
            yield f"{key}-indices", f"{title}: Sobol' indices", indices(sweep, key, width)
    elif not analysis.effects(sweep, key).is_empty():
        yield f"{key}-main-effects", f"{title}: main effects", main_effects(sweep, key, width)
        yield f"{key}-half-normal", f"{title}: effects by size", half_normal(sweep, key, width)


def _panels(number: int, height: float, width: Width, **options: bool) -> tuple[Figure, list[Axes]]:
    columns = min(max(1, int(style.width_inches(width) / 1.5)), COLUMNS, number)
    lines = math.ceil(number / columns)
    figure, panels = new_figure(lines, columns, 0.7 + height * lines, width, **options)
    for empty in panels[number:]:
        empty.set_visible(False)
    return figure, panels[:number]


def _legend(figure: Figure, panel: Axes, width: Width) -> None:
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper left", ncols=max(2, int(style.width_inches(width) / 1.2))
    )


def _named(title: str, unit: str) -> str:
    return for_figures(f"{title.lower()} [{unit}]" if unit else title.lower())


def _factor(place: int, name: str) -> str:
    return for_figures(f"{LETTERS[place]}: {short(name)}")


def main_effects(sweep: SweepRecord, key: str, width: Width = None) -> Figure:
    """The mean of a metric at both levels of each factor: a panel per factor, a line per algorithm."""
    plan, levels = sweep.plan, analysis.coded_levels(sweep.plan)
    rows = sweep.summary.filter(pl.col("metric") == key)
    title, unit, factor = described(key, float(rows["mean"].abs().max() or 0))  # type: ignore[arg-type]
    looks = style.looks(list(plan.algorithms))
    with mpl.rc_context(style.MATPLOTLIB):
        figure, panels = _panels(len(plan.axes), 1.5, width, sharey=True)
        for place, (panel, axis) in enumerate(zip(panels, plan.axes, strict=True)):
            for label in plan.algorithms:
                mine = rows.filter(pl.col("label") == label)
                means = mine["mean"].to_numpy() * factor
                side = levels[mine["point"].to_numpy().astype(int), place]
                look = looks[label]
                panel.plot(
                    [0, 1], [means[side < 0].mean(), means[side > 0].mean()], color=look.colour,
                    marker=look.marker, markersize=3.5, label=for_figures(label),
                )  # fmt: skip
            panel.set_xticks([0, 1], [for_figures(str(value)) for value, _ in axis.values])
            panel.set_xlim(-0.3, 1.3)
            panel.set_title(_factor(place, axis.name))
        _legend(figure, panels[0], width)
        figure.supylabel(_named(title, unit), fontsize=9)
    return figure


def half_normal(sweep: SweepRecord, key: str, width: Width = None) -> Figure:
    """The sizes of the effects over half-normal quantiles: noise lies on a line from zero (Daniel 1959).

    A panel per algorithm; effects that are decided are filled, and the largest have their names.
    """
    table = analysis.effects(sweep, key)
    title, unit, factor = described(key, float(table["effect"].abs().max() or 0))  # type: ignore[arg-type]
    looks = style.looks(list(sweep.plan.algorithms))
    labels = table["label"].unique(maintain_order=True).to_list()
    with mpl.rc_context(style.MATPLOTLIB):
        figure, panels = _panels(len(labels), 2.2, width, sharex=True, sharey=True)
        for panel, label in zip(panels, labels, strict=True):
            mine = table.filter(pl.col("label") == label).sort(pl.col("effect").abs())
            sizes = (mine["effect"].abs() * factor).to_list()
            ranks = (np.arange(1, len(sizes) + 1) - 0.5) / len(sizes)
            places = scipy.special.ndtri(0.5 + ranks / 2).tolist()
            look, decided = looks[label], mine["is_decided"].to_list()
            colours = [look.colour if each else "none" for each in decided]
            panel.scatter(
                places, sizes, s=16, marker=look.marker, c=colours, edgecolors=look.colour, linewidths=0.8
            )
            for place, size, term in list(zip(places, sizes, mine["term"], strict=True))[-MOST_NAMED:]:
                panel.annotate(
                    term, (place, size), xytext=(0, 4), textcoords="offset points", rotation=60, fontsize=7
                )
            panel.set_title(for_figures(label))
            panel.set_xlim(left=0)
            panel.set_ylim(bottom=0)
        figure.supylabel(_named(f"size of the effect on {title.lower()}", unit), fontsize=9)
        figure.supxlabel("half-normal quantile (filled: sign decided)", fontsize=9)
    return figure


def samples(sweep: SweepRecord, key: str, width: Width = None) -> Figure:
    """A metric at every sample over each range: a panel per range, a mark per point and algorithm."""
    plan = sweep.plan
    rows = sweep.summary.filter(pl.col("metric") == key)
    title, unit, factor = described(key, float(rows["mean"].abs().max() or 0))  # type: ignore[arg-type]
    looks = style.looks(list(plan.algorithms))
    ranges = {each.name: each for each in plan.ranges}
    drawn = [axis for axis in plan.axes if axis.name in ranges]
    with mpl.rc_context(style.MATPLOTLIB):
        figure, panels = _panels(len(drawn), 2.0, width, sharey=True)
        for panel, axis in zip(panels, drawn, strict=True):
            scale = scale_of(axis)
            for label in plan.algorithms:
                mine = rows.filter(pl.col("label") == label)
                look = looks[label]
                panel.scatter(
                    [scale.positions[value] for value in mine[axis.name]], mine["mean"] * factor, s=9,
                    marker=look.marker, color=look.colour, linewidths=0, label=for_figures(label),
                )  # fmt: skip
            if ranges[axis.name].is_log:
                panel.set_xscale("log")
            panel.set_xlabel(
                for_figures(f"{short(axis.name)} [{scale.unit}]" if scale.unit else short(axis.name))
            )
        _legend(figure, panels[0], width)
        figure.supylabel(_named(title, unit), fontsize=9)
    return figure


def indices(sweep: SweepRecord, key: str, width: Width = None) -> Figure:
    """First-order and total Sobol' indices of each range, with intervals: a panel per algorithm."""
    table = analysis.sobol_indices(sweep, key)
    labels = table["label"].unique(maintain_order=True).to_list()
    looks = style.looks(list(sweep.plan.algorithms))
    with mpl.rc_context(style.MATPLOTLIB):
        figure, panels = _panels(
            len(labels), 0.6 + 0.3 * len(sweep.plan.ranges), width, sharex=True, sharey=True
        )
        for panel, label in zip(panels, labels, strict=True):
            mine = table.filter(pl.col("label") == label)
            places = np.arange(mine.height)
            look = looks[label]
            for name, offset, filled in (("first_order", -0.12, True), ("total_order", 0.12, False)):
                value, low, high = (mine[f"{name}{end}"].to_numpy() for end in ("", "_low", "_high"))
                panel.errorbar(
                    value, places + offset, xerr=np.clip([value - low, high - value], 0, None),
                    fmt=look.marker, color=look.colour, mfc=look.colour if filled else "white", markersize=4,
                    linewidth=0.9,
                )  # fmt: skip
            panel.set_yticks(places, [for_figures(short(name)) for name in mine["factor"]])
            panel.set_ylim(mine.height - 0.5, -0.5)
            panel.set_title(for_figures(label))
        figure.supxlabel("share of the variance (filled: first order; open: total)", fontsize=9)
    return figure


def correlation(sweep: SweepRecord, width: Width = None) -> Figure:
    """Pearson's correlation of the responses, as a map with its numbers."""
    table = responses.correlation(sweep)
    names = [described(name, 0)[0] for name in table["response"]]
    values = table.drop("response").to_numpy()
    with mpl.rc_context(style.MATPLOTLIB):
        figure, (panel,) = new_figure(height=0.9 + 0.32 * len(names), width=width)
        panel.grid(visible=False)
        panel.imshow(values, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto")
        for (row, column), value in np.ndenumerate(values):
            colour = "white" if abs(value) > 0.6 else "black"
            panel.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=6.5, color=colour)
        panel.set_xticks(range(len(names)), [for_figures(name) for name in names], rotation=40, ha="right")
        panel.set_yticks(range(len(names)), [for_figures(name) for name in names])
    return figure


def components(sweep: SweepRecord, width: Width = None) -> Figure:
    """Observations in the plane of the first two principal components, and the loadings of the responses."""
    found = responses.principal_components(sweep)
    looks = style.looks(list(sweep.plan.algorithms))
    shares = found.explained["share"].to_list()
    with mpl.rc_context(style.MATPLOTLIB):
        figure, (scores, loadings) = new_figure(1, 2, 3.1, width)
        for label, look in looks.items():
            mine = found.scores.filter(pl.col("label") == label)
            scores.scatter(mine["PC1"], mine["PC2"], s=9, marker=look.marker, color=look.colour, linewidths=0,
                           label=for_figures(label))  # fmt: skip
        _arrows(loadings, found.loadings)
        loadings.set_xlim(-1.45, 1.45)
        loadings.set_ylim(-1.1, 1.1)
        for panel, title in ((scores, "Scores"), (loadings, "Loadings")):
            panel.set_title(title)
            panel.set_xlabel(f"PC1 ({100 * shares[0]:.0f} % of the variance)")
        scores.set_ylabel(f"PC2 ({100 * shares[1]:.0f} %)")
        _legend(figure, scores, width)
    return figure


LABEL_HEIGHT = 0.09
"""The least distance of the names of two loadings, in their unit."""


def _arrows(panel: Axes, loadings: pl.DataFrame) -> None:
    """Arrows to the loadings of the first two components, with names that do not cover each other."""
    rows = sorted(loadings.select("response", "PC1", "PC2").iter_rows(), key=lambda row: row[2])
    last = {True: -2.0, False: -2.0}
    for name, x, y in rows:
        arrow = {"arrowstyle": "->", "lw": 0.7, "color": style.GREY}
        panel.annotate("", (x, y), (0, 0), arrowprops=arrow)
        is_right = x >= 0
        last[is_right] = max(y, last[is_right] + LABEL_HEIGHT)
        side = "left" if is_right else "right"
        panel.text(x, last[is_right], for_figures(described(name, 0)[0]), fontsize=6.5, ha=side, va="center")


def clusters(sweep: SweepRecord, width: Width = None) -> Figure:
    """The dendrogram of the algorithms by Ward's clustering of their responses."""
    from scipy.cluster.hierarchy import dendrogram  # noqa: PLC0415 - takes a moment to load

    labels, tree = responses.clusters(sweep)
    with mpl.rc_context(style.MATPLOTLIB):
        figure, (panel,) = new_figure(height=0.9 + 0.25 * len(labels), width=width)
        dendrogram(
            tree, labels=[for_figures(label) for label in labels], orientation="right", ax=panel,
            color_threshold=0, above_threshold_color=style.GREY, leaf_font_size=8,
        )  # fmt: skip
        panel.grid(visible=False, axis="y")
        panel.set_xlabel("distance of the standardised responses (Ward)")
    return figure
