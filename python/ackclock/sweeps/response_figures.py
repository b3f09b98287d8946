"""Figures of the responses of a designed experiment together: correlation, components, and clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
import polars as pl
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
"""The most responses whose correlations are written out; a colour bar stands for those of more."""
SIDE_BY_SIDE = 5.0
"""The least width of a figure, in inches, whose scores stand beside its loadings."""
MOST_COLOURED = 5
"""The most algorithms of which every score has its colour; of more, the means have."""
LETTERS = 6.5
"""The size of names in figures, in points."""


def together(sweep: SweepRecord, width: Width = None) -> Iterator[tuple[str, str, Figure]]:
    """Name, title and figure of all that there are responses and algorithms enough for."""
    drawn: dict[str, tuple[str, Callable[[SweepRecord, Width], Figure]]] = {
        "correlation": ("Correlation of the responses", correlation),
        "components": ("Principal components of the responses", components),
        "clusters": ("Algorithms by their responses", clusters),
    }
    for name, (title, draw) in drawn.items():
        with suppress(InputError):
            yield name, title, draw(sweep, width)


def spread_out(places: Sequence[float], least: float, low: float, high: float) -> list[float]:
    """Ascending places between two bounds, moved so that they lie at a distance of `least` or more."""
    found = [min(max(place, low), high) for place in places]
    for index in range(1, len(found)):
        found[index] = max(found[index], found[index - 1] + least)
    if found and found[-1] > high:
        found[-1] = high
        for index in reversed(range(len(found) - 1)):
            found[index] = min(found[index], found[index + 1] - least)
    return found


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
        bar.outline.set_visible(False)  # type: ignore[operator]
    return figure


def components(sweep: SweepRecord, width: Width = None) -> Figure:
    """Observations in the plane of the first two principal components, and the loadings of the responses."""
    found = responses.principal_components(sweep)
    shares = [100 * share for share in found.explained["share"]]
    is_wide = style.width_inches(width) >= SIDE_BY_SIDE
    height = 0.9 + max(2.4, 0.12 * found.loadings.height)
    with mpl.rc_context(style.MATPLOTLIB):
        if is_wide:
            figure, (scores, loadings) = new_figure(1, 2, height, width, width_ratios=[1, 1.7])
        else:
            figure, (scores, loadings) = new_figure(2, 1, 2 * height, width)
        _scores(scores, found.scores, list(sweep.plan.algorithms))
        _loadings(loadings, found.loadings)
        for panel, title in ((scores, "Scores"), (loadings, "Loadings")):
            panel.set_title(title)
            panel.set_xlabel(f"PC1 ({shares[0]:.0f} % of the variance)")
            panel.set_ylabel(f"PC2 ({shares[1]:.0f} %)")
        handles, labels = scores.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", ncols=style.legend_columns(width))
    return figure


def _scores(panel: Axes, scores: pl.DataFrame, labels: Sequence[str]) -> None:
    """A mark for each observation; with many algorithms in grey, under marks of the algorithms' means."""
    looks = style.looks(labels)
    are_many = len(labels) > MOST_COLOURED
    if are_many:
        said = "a point with one of them"
        panel.scatter(scores["PC1"], scores["PC2"], s=5, color="#cccccc", linewidths=0, label=said)
    for label in labels:
        mine = scores.filter(pl.col("label") == label).select("PC1", "PC2")
        look, shown = looks[label], mine.mean() if are_many else mine
        panel.scatter(
            shown["PC1"], shown["PC2"], s=36 if are_many else 9, marker=look.marker, color=look.colour,
            edgecolors="white" if are_many else "none", linewidths=0.5 if are_many else 0,
            label=for_figures(label),
        )  # fmt: skip


NAMES_AT = 1.15
"""The distance of the names of loadings from the middle, in their unit; arrows end within 1."""
HALF_WIDTH = 2.85
"""Half of the width of loadings with their names."""
LABEL_DISTANCE = 0.15
"""The least distance of two names, one above the other."""


def _loadings(panel: Axes, loadings: pl.DataFrame) -> None:
    """Arrows to the loadings of the first two components in the unit circle, with names on either side."""
    rows = sorted(loadings.select("response", "PC1", "PC2").iter_rows(), key=lambda row: row[2])
    least = min(LABEL_DISTANCE, 2.2 / max(1, len(rows)) * 2)
    for side, place in (("left", NAMES_AT), ("right", -NAMES_AT)):
        mine = [row for row in rows if (row[1] >= 0) == (place > 0)]
        heights = spread_out([row[2] for row in mine], least, -1.15, 1.15)
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
    panel.set_ylim(-1.25, 1.25)
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
