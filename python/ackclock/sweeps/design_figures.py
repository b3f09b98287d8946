"""Figures of a designed experiment, metric by metric: main effects, half-normal plots, samples, indices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
import polars as pl
import scipy
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from ackclock.report import style
from ackclock.report.canvas import new_panels
from ackclock.report.text import for_figures
from ackclock.sweeps import effects as analysis
from ackclock.sweeps.design import LETTERS
from ackclock.sweeps.figures import described, scale_of
from ackclock.sweeps.response_figures import LETTERS as NAME_SIZE
from ackclock.sweeps.response_figures import Width, spread_out

if TYPE_CHECKING:
    from ackclock.sweeps.record import SweepRecord

__all__ = ["half_normal", "indices", "main_effects", "of_metric", "samples"]

Floats = NDArray[np.float64]

COLUMNS = 4
MOST_LINES = 5
"""The most algorithms of a main-effect plot with lines; for more algorithms, the effects are drawn."""
MOST_NAMED = 8
"""The most effects of a half-normal plot with their names."""
LEAST_NAMED = 2
"""The number of effects that are named if none is decided."""
MOST_LETTERS = 20
"""The number of letters that fit above a panel."""


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
    columns = min(max(1, int(style.width_inches(width) / 1.5)), COLUMNS)
    return new_panels(number, columns, height, width, **options)


def _legend(figure: Figure, panel: Axes, width: Width) -> None:
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=style.legend_columns(width, labels))


def _named(title: str, unit: str) -> str:
    return for_figures(f"{title.lower()} [{unit}]" if unit else title.lower())


def _head(panel: Axes, place: int, title: str) -> None:
    """Puts the letter and name of a factor above its panel, cut to its width."""
    said = f"{LETTERS[place]}: {title}"
    said = said if len(said) <= MOST_LETTERS else f"{said[: MOST_LETTERS - 1]}…"
    panel.set_title(for_figures(said), fontsize=8)


def main_effects(sweep: SweepRecord, key: str, width: Width = None) -> Figure:
    """The main effects of the factors on a metric, a panel each, with 95 % intervals.

    For a few algorithms, a line each shows the means at both levels. Its bars are half as long as the
    interval of the effect, so that they do not overlap if the interval excludes zero. For more algorithms, a
    row each shows the effects themselves, filled if the sign is decided among all effects.
    """
    table = analysis.effects(sweep, key).filter(pl.col("term").str.len_chars() == 1)
    if table["label"].n_unique() > MOST_LINES:
        return _effects_in_rows(sweep, key, table, width)
    return _levels(sweep, key, table, width)


def _levels(sweep: SweepRecord, key: str, table: pl.DataFrame, width: Width) -> Figure:
    plan, levels = sweep.plan, analysis.coded_levels(sweep.plan)
    rows = sweep.summary.filter(pl.col("metric") == key)
    title, unit, factor = described(key, float(rows["mean"].abs().max() or 0))  # type: ignore[arg-type]
    labels = table["label"].unique(maintain_order=True).to_list()
    looks = style.looks(list(plan.algorithms))
    with mpl.rc_context(style.MATPLOTLIB):
        figure, panels = _panels(len(plan.axes), 1.5, width, sharey=True)
        for place, (panel, axis) in enumerate(zip(panels, plan.axes, strict=True)):
            for number, label in enumerate(labels):
                mine = rows.filter(pl.col("label") == label)
                means = mine["mean"].to_numpy() * factor
                side = levels[mine["point"].to_numpy().astype(int), place]
                effect = table.filter((pl.col("label") == label) & (pl.col("term") == LETTERS[place]))
                half = float((effect["high"] - effect["low"]).item()) / 4 * factor
                look, aside = looks[label], 0.05 * (number - (len(labels) - 1) / 2)
                panel.errorbar(
                    [aside, 1 + aside], [means[side < 0].mean(), means[side > 0].mean()], yerr=half,
                    color=look.colour, marker=look.marker, markersize=3.5, elinewidth=0.8, capsize=1.5,
                    linestyle=(0, look.dash) if look.dash else "-", label=for_figures(label),
                )  # fmt: skip
            panel.set_xticks([0, 1], [for_figures(str(value)) for value, _ in axis.values])
            panel.set_xlim(-0.3, 1.3)
            _head(panel, place, plan.titles[axis.name])
        _legend(figure, panels[0], width)
        figure.supylabel(_named(title, unit), fontsize=9)
    return figure


def _effects_in_rows(sweep: SweepRecord, key: str, table: pl.DataFrame, width: Width) -> Figure:
    """A panel per factor on one scale, a row per algorithm: effect and interval."""
    title, unit, factor = described(key, float(table["effect"].abs().max() or 0))  # type: ignore[arg-type]
    labels = table["label"].unique(maintain_order=True).to_list()
    with mpl.rc_context(style.MATPLOTLIB):
        height = 0.35 + 0.135 * len(labels)
        figure, panels = _panels(len(sweep.plan.axes), height, width, sharex=True, sharey=True)
        for place, (panel, axis) in enumerate(zip(panels, sweep.plan.axes, strict=True)):
            mine = table.filter(pl.col("term") == LETTERS[place])
            effect, low, high = (mine[name].to_numpy() * factor for name in ("effect", "low", "high"))
            rows = np.array([labels.index(label) for label in mine["label"]])
            panel.axvline(0, color=style.GREY, lw=0.8)
            panel.hlines(rows, low, high, color=style.BLUE, lw=1.1)
            filled = [style.BLUE if decided else "white" for decided in mine["is_decided"]]
            panel.scatter(effect, rows, s=11, c=filled, edgecolors=style.BLUE, linewidths=0.8, zorder=3)
            panel.set_yticks(range(len(labels)), [for_figures(label) for label in labels], fontsize=7)
            panel.set_ylim(len(labels) - 0.4, -0.6)
            panel.tick_params(labelbottom=True)
            panel.xaxis.set_major_locator(MaxNLocator(3))
            _head(panel, place, sweep.plan.titles[axis.name])
        said = _named(f"effect on {title.lower()}", unit)
        figure.supxlabel(f"{said}, high less low level (filled: sign decided)", fontsize=9)
    return figure


def half_normal(sweep: SweepRecord, key: str, width: Width = None) -> Figure:
    """The sizes of the effects over half-normal quantiles: noise lies on a line from zero (Daniel 1959).

    A panel per algorithm, with the line of Lenth's pseudo error; effects that are decided are filled, and the
    largest of them have their names.
    """
    table = analysis.effects(sweep, key)
    title, unit, factor = described(key, float(table["effect"].abs().max() or 0))  # type: ignore[arg-type]
    labels = table["label"].unique(maintain_order=True).to_list()
    top = 1.12 * factor * float(table["effect"].abs().max() or 1)  # type: ignore[arg-type]
    with mpl.rc_context(style.MATPLOTLIB):
        figure, panels = _panels(len(labels), PANEL_HEIGHT, width, sharex=True, sharey=True)
        for panel, label in zip(panels, labels, strict=True):
            mine = table.filter(pl.col("label") == label).sort(pl.col("effect").abs())
            sizes = (mine["effect"].abs() * factor).to_numpy()
            ranks = (np.arange(1, len(sizes) + 1) - 0.5) / len(sizes)
            places = scipy.special.ndtri(0.5 + ranks / 2)
            decided = mine["is_decided"].to_list()
            colours = [style.BLUE if each else "white" for each in decided]
            end = float(places[-1])
            slope = analysis.pseudo_error(sizes)
            panel.plot([0, end], [0, slope * end], color=style.GREY, lw=0.8, ls=":", zorder=1)
            panel.scatter(places, sizes, s=13, c=colours, edgecolors=style.BLUE, linewidths=0.8, zorder=3)
            largest = slice(-min(max(sum(decided), LEAST_NAMED), MOST_NAMED), None)
            _names_beside(panel, places[largest], sizes[largest], mine["term"].to_list()[largest], top)
            panel.set_title(for_figures(label))
            panel.set_xlim(-0.04 * end, 1.42 * end)
            panel.set_ylim(-0.03 * top, top)
        figure.supylabel(_named(f"size of the effect on {title.lower()}", unit), fontsize=9)
        figure.supxlabel("half-normal quantile (filled: sign decided; dotted: noise)", fontsize=9)
    return figure


PANEL_HEIGHT = 2.0
"""The height of a panel of a half-normal plot, in inches; a tenth of its axis has room for a name."""


def _names_beside(panel: Axes, places: Floats, sizes: Floats, names: Sequence[str], top: float) -> None:
    """Names of ascending effects in a column right of them, each with a line to its mark."""
    at = 1.16 * float(places[-1])
    heights = spread_out(sizes.tolist(), 0.09 * top, 0.03 * top, 0.96 * top)
    for x, y, height, name in zip(places, sizes, heights, names, strict=True):
        panel.plot([x, 0.985 * at], [y, height], color="#bbbbbb", lw=0.4, zorder=1)
        panel.text(at, height, name, fontsize=NAME_SIZE, va="center")


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
            said = plan.titles[axis.name]
            panel.set_xlabel(for_figures(f"{said} [{scale.unit}]" if scale.unit else said))
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
            panel.set_yticks(places, [for_figures(sweep.plan.titles[name]) for name in mine["factor"]])
            panel.set_ylim(mine.height - 0.5, -0.5)
            panel.set_title(for_figures(label))
        figure.supxlabel("share of the variance (filled: first order; open: total)", fontsize=9)
    return figure
