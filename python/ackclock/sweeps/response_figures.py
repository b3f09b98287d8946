"""Figures of the responses of a designed experiment together: correlation, components, and clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
import polars as pl
import scipy
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ackclock.errors import InputError
from ackclock.report import style
from ackclock.report.canvas import new_figure
from ackclock.report.text import for_figures
from ackclock.sweeps import responses
from ackclock.sweeps.figures import described

if TYPE_CHECKING:
    from ackclock.sweeps.record import SweepRecord

__all__ = ["clusters", "components", "correlation", "spread_out", "together"]

Width = float | str | None
"""A width in inches, or its name."""

MOST_NUMBERED = 20
"""The largest number of responses whose correlations are written as numbers; with more there is a colour
bar."""
SIDE_BY_SIDE = 5.0
"""The least width of a figure, in inches, whose scores are next to its loadings."""
MOST_COLOURED = 5
"""The most algorithms whose scores are all coloured; with more, only the means are named."""
LETTERS = 6.5
"""The size of names in figures, in points."""


def together(sweep: SweepRecord, width: Width = None) -> Iterator[tuple[str, str, Figure]]:
    """Name, title and figure of each drawing for which there are enough responses and algorithms."""
    drawn: dict[str, tuple[str, Callable[[SweepRecord, Width], Figure]]] = {
        "correlation": ("Correlation of the responses", correlation),
        "components": ("Principal components of the responses", components),
        "clusters": ("Algorithms by their responses", clusters),
    }
    for name, (title, draw) in drawn.items():
        with suppress(InputError):
            yield name, title, draw(sweep, width)


def spread_out(places: Sequence[float], least: float, low: float, high: float) -> list[float]:
    """Ascending places between two bounds, moved as little as possible to distances of at least `least`."""
    if not places:
        return []
    # Without the distances the rest must ascend: the nearest ascending sequence is the isotonic regression.
    steps = least * np.arange(len(places))
    nearest = scipy.optimize.isotonic_regression(np.asarray(places) - steps).x
    return list(np.clip(nearest, low, max(low, high - steps[-1])) + steps)


def correlation(sweep: SweepRecord, width: Width = None) -> Figure:
    """Pearson's correlation of the responses, as a map with its numbers in hundredths."""
    table = responses.correlation(sweep)
    names = [for_figures(described(name, 0)[0].lower()) for name in table["response"]]
    values = table.drop("response").to_numpy()
    with mpl.rc_context(style.MATPLOTLIB):
        figure, (panel,) = new_figure(height=1.5 + 0.24 * len(names), width=width)
        panel.grid(visible=False)
        image = panel.imshow(values, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto")
        if len(names) <= MOST_NUMBERED:
            for (row, column), value in np.ndenumerate(values):
                colour = "white" if abs(value) > 0.6 else "black"
                said = f"{100 * value:.0f}".replace("-", "\N{MINUS SIGN}")
                panel.text(column, row, said, ha="center", va="center", fontsize=LETTERS, color=colour)
        panel.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
        panel.set_yticks(range(len(names)), names)
        panel.tick_params(length=0, labelsize=7)
        bar = figure.colorbar(image, ax=panel, fraction=0.03, pad=0.02, ticks=[-1, -0.5, 0, 0.5, 1])
        numbers = " (numbers: in hundredths)" if len(names) <= MOST_NUMBERED else ""
        bar.set_label(f"correlation{numbers}")
        bar.outline.set_visible(False)
    return figure


def components(sweep: SweepRecord, width: Width = None) -> Figure:
    """Observations in the plane of the first two principal components, and the loadings of the responses."""
    found = responses.principal_components(sweep)
    shares = [100 * share for share in found.explained["share"]]
    is_wide = style.width_inches(width) >= SIDE_BY_SIDE
    height = 0.9 + max(2.4, 0.12 * found.loadings.height)
    with mpl.rc_context(style.MATPLOTLIB):
        if is_wide:
            figure, (scores, loadings) = new_figure(1, 2, height, width, width_ratios=[1, 1.5])
        else:
            figure, (scores, loadings) = new_figure(2, 1, 2 * height, width)
        _scores(scores, found.scores, list(sweep.plan.algorithms))
        _loadings(loadings, found.loadings)
        scores.set_title("Scores")
        scores.set_xlabel(f"PC1 ({shares[0]:.0f} % of the variance)")
        scores.set_ylabel(f"PC2 ({shares[1]:.0f} %)")
        loadings.set_title("Loadings")
        loadings.set_xlabel("PC1 across, PC2 up; the circle is 1")
        handles, labels = scores.get_legend_handles_labels()
        if handles:
            figure.legend(
                handles, labels, loc="outside upper left", ncols=style.legend_columns(width, labels)
            )
    return figure


def _scores(panel: Axes, scores: pl.DataFrame, labels: Sequence[str]) -> None:
    """A mark for each observation."""
    if len(labels) > MOST_COLOURED:
        _means(panel, scores)
        return
    looks = style.looks(labels)
    for label in labels:
        mine, look = scores.filter(pl.col("label") == label), looks[label]
        panel.scatter(
            mine["PC1"], mine["PC2"], s=9, marker=look.marker, color=look.colour, linewidths=0,
            label=for_figures(label),
        )  # fmt: skip


def _means(panel: Axes, scores: pl.DataFrame) -> None:
    """Every observation in grey, and the algorithms' means, with their names in a column next to them."""
    panel.scatter(scores["PC1"], scores["PC2"], s=5, color="#cccccc", linewidths=0)
    means = scores.group_by("label").agg(pl.col("PC1", "PC2").mean()).sort("PC2")
    low, high = panel.get_ylim()
    left, right = panel.get_xlim()
    heights = spread_out(means["PC2"].to_list(), 0.062 * (high - low), low, high)
    at = right + 0.06 * (right - left)
    for (label, x, y), height in zip(means.iter_rows(), heights, strict=True):
        panel.plot([x, at], [y, height], color="#999999", lw=0.4, zorder=2)
        panel.text(at, height, for_figures(label), fontsize=LETTERS, va="center")
    panel.scatter(means["PC1"], means["PC2"], s=14, color=style.BLUE, linewidths=0, zorder=3)
    panel.set_xticks([tick for tick in panel.get_xticks() if left <= tick <= right])
    panel.spines["bottom"].set_bounds(left, right)
    panel.set_xlim(left, right + NAMES_WIDTH * (right - left))
    panel.set_ylim(low, high)


NAMES_WIDTH = 0.5
"""The width of the names of algorithms relative to that of the scores."""
NAMES_AT = 1.15
"""The distance of the names of loadings from the middle, in their unit; arrows end within 1."""
HALF_WIDTH = 2.85
"""Half of the width of loadings with their names."""
LABEL_DISTANCE = 0.2
"""The least distance of two names, one above the other."""


def _loadings(panel: Axes, loadings: pl.DataFrame) -> None:
    """Arrows to the loadings of the first two components in the unit circle, with names on either side."""
    rows = sorted(loadings.select("response", "PC1", "PC2").iter_rows(), key=lambda row: row[2])
    half = 1.15
    for side, place in (("left", NAMES_AT), ("right", -NAMES_AT)):
        mine = [row for row in rows if (row[1] >= 0) == (place > 0)]
        half = max(half, LABEL_DISTANCE * (len(mine) - 1) / 2)
        heights = spread_out([row[2] for row in mine], LABEL_DISTANCE, -half, half)
        for (name, x, y), height in zip(mine, heights, strict=True):
            arrow = {"arrowstyle": "->", "lw": 0.8, "color": style.BLUE, "shrinkA": 0, "shrinkB": 0}
            panel.annotate("", (x, y), (0, 0), arrowprops=arrow)
            panel.plot([x, 0.96 * place], [y, height], color="#bbbbbb", lw=0.4, zorder=1)
            said = for_figures(described(name, 0)[0].lower())
            panel.text(place, height, said, fontsize=LETTERS, ha=side, va="center")
    angles = np.linspace(0, 2 * np.pi, 200)
    panel.plot(np.cos(angles), np.sin(angles), color="#dddddd", lw=0.6, zorder=0)
    panel.grid(visible=False)
    panel.plot([-1, 1], [0, 0], color="#dddddd", lw=0.6, zorder=0)
    panel.plot([0, 0], [-1, 1], color="#dddddd", lw=0.6, zorder=0)
    panel.set_aspect("equal")
    panel.set_xlim(-HALF_WIDTH, HALF_WIDTH)
    panel.set_ylim(-half - 0.1, half + 0.1)
    panel.set_xticks([])
    panel.set_yticks([])
    panel.spines[:].set_visible(False)


def clusters(sweep: SweepRecord, width: Width = None) -> Figure:
    """The dendrogram of the algorithms by Ward's clustering of their responses."""
    from scipy.cluster.hierarchy import dendrogram  # noqa: PLC0415 - takes a moment to load

    labels, tree = responses.linkage(sweep)
    with mpl.rc_context(style.MATPLOTLIB):
        figure, (panel,) = new_figure(height=0.9 + 0.25 * len(labels), width=width)
        dendrogram(
            tree, labels=[for_figures(label) for label in labels], orientation="right", ax=panel,
            color_threshold=0, above_threshold_color=style.BLUE, leaf_font_size=8,
        )  # fmt: skip
        panel.grid(visible=False, axis="y")
        panel.spines["left"].set_visible(False)
        panel.tick_params(axis="y", length=0)
        panel.set_xlabel("distance of the standardised responses (Ward)")
    return figure
