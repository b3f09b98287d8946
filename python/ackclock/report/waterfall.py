"""The waterfall of a page: when each object waited, was asked for, and arrived."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ackclock.report import style
from ackclock.report.canvas import new_figure
from ackclock.report.chart import Chart, packed
from ackclock.report.text import for_figures

if TYPE_CHECKING:
    from ackclock.report.record import ComparisonRecord

__all__ = ["Waterfall", "charts", "draw", "waterfalls"]

MOST = 3
"""The most pages that are shown, each of a user of another group."""

MOST_NAMES = 25
"""The most objects of a page whose names are at the axis; the lines of more have numbers."""

PHASES = (
    ("waits for a connection", style.GREY, "found_s", "request_s"),
    ("asked for", style.SKY, "request_s", "first_byte_s"),
    ("arrives", style.GREEN, "first_byte_s", "finish_s"),
)
"""Each phase of an object with its colour, and the columns of its ends."""

NOTE = (
    "The first page of a user of each group. An object waits from its mention to its request, is asked for "
    "until its first byte is there, and arrives. What had not happened when the run ended or the page was "
    "given up has no line."
)


@dataclass(frozen=True)
class Waterfall:
    """The first page of one user."""

    user: str
    names: tuple[str, ...]
    """The names of the objects, from the first line down."""
    phases: tuple[tuple[str, str, NDArray[np.float64], NDArray[np.float64]], ...]
    """Of each phase the name, the colour, and its beginnings and ends in seconds from the page's request."""
    load_s: float
    """When the last object was there; NaN if that did not happen."""


def waterfalls(comparison: ComparisonRecord) -> tuple[Waterfall, ...]:
    """The first pages of up to three users of different groups, of a single run; none without browsers."""
    if comparison.is_comparison or not comparison.results:
        return ()
    result = comparison.results[0]
    if "objects" not in result.tables:
        return ()
    objects = result.tables["objects"].filter(pl.col("page") == 0)
    names = dict(result.users.select("user", "name").iter_rows())
    users = objects["user"].unique(maintain_order=True).to_list()
    if len(users) > MOST:
        chosen: dict[str, int] = {}
        for user in users:
            chosen.setdefault(re.sub(r"\d+$", "", names[user]), user)
        users = [*chosen.values()][:MOST]
    return tuple(_of(names[user], objects.filter(pl.col("user") == user)) for user in users)


def _of(user: str, objects: pl.DataFrame) -> Waterfall:
    mine = objects.sort("found_s", "object", nulls_last=True)
    begin = pl.col("page_start_s")
    times = {
        column: mine.select(pl.col(column) - begin).to_series().to_numpy()
        for column in ("found_s", "request_s", "first_byte_s", "finish_s")
    }
    phases = tuple((name, colour, times[low], times[high]) for name, colour, low, high in PHASES)
    return Waterfall(user, tuple(mine["name"]), phases, float(times["finish_s"].max()))


def draw(pages: tuple[Waterfall, ...], width: float | str | None = None) -> Figure:
    """The waterfalls under each other, with one time axis."""
    lines = max(len(page.names) for page in pages)
    height = 0.9 + len(pages) * min(0.5 + 0.14 * lines, 3.4)
    figure, axes = new_figure(len(pages), height=height, width=width, sharex=True)
    for axis, page in zip(axes, pages, strict=True):
        places = np.arange(len(page.names))
        for name, colour, low, high in page.phases:
            axis.barh(places, high - low, left=low, height=0.8, color=colour, label=name)
        axis.set_ylim(len(page.names) - 0.4, -0.6)
        axis.grid(visible=False, axis="y")
        if len(page.names) <= MOST_NAMES:
            axis.set_yticks(places, [for_figures(name) for name in page.names], fontsize=6)
        axis.set_ylabel("object")
        axis.set_title(for_figures(_title(page)))
    axes[-1].set_xlim(left=0)
    axes[-1].set_xlabel("time from the request for the page [s]")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=style.legend_columns(width, labels))
    return figure


def _title(page: Waterfall) -> str:
    loaded = f"loaded in {page.load_s:.3g} s" if np.isfinite(page.load_s) else "not loaded"
    return f"{page.user}, {loaded}"


def charts(pages: tuple[Waterfall, ...]) -> tuple[Chart, ...]:
    """The waterfalls as charts of the report, with a line for each object from the first down."""
    longest = max(float(np.nanmax([np.nanmax(high) for *_, high in page.phases])) for page in pages)
    return tuple(_chart(page, longest) for page in pages)


def _chart(page: Waterfall, longest: float) -> Chart:
    count = len(page.names)
    curves = []
    for name, colour, low, high in page.phases:
        strokes = np.column_stack([low, high, np.full(count, np.nan)])
        places = np.column_stack([np.arange(1, count + 1)] * 2 + [np.full(count, np.nan)])
        curves.append(
            {
                "label": name,
                "x": packed(strokes.ravel()),
                "y": packed(places.ravel()),
                "colour": colour,
                "width": max(2.0, min(9.0, 260 / count)),
                "dash": [],
                "alpha": 1.0,
                "step": False,
            }
        )
    return {
        "title": _title(page),
        "title_colour": None,
        "height": 340,
        "x": {
            "label": "time from the request for the page [s]",
            "range": [0, 1.03 * longest],
            "name": "time",
            "unit": "s",
        },
        "y": {"label": "object", "range": [count + 0.6, 0.4], "name": "object", "unit": ""},
        "curves": curves,
        "legend": True,
        "alternative": f"Waterfall of {count} objects of {_title(page)}.",
    }
