"""Figures of a sweep: a metric over an axis, a line with its confidence band per algorithm.

Values that are no numbers, as names of queues, have nothing between them: there each algorithm has points.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ackclock.measures import metrics
from ackclock.measures.metric_columns import bounds
from ackclock.report import style
from ackclock.report.canvas import new_panels
from ackclock.report.text import for_figures
from ackclock.sweeps.plan import Axis, Value

if TYPE_CHECKING:
    from ackclock.sweeps.record import SweepRecord

__all__ = ["Scale", "draw", "main_metrics", "scale_of"]

MOST_PANELS = 9
"""The most combinations of the other axes that are drawn; the tables have all."""

SPREAD = 0.6
"""The width of a value that is no number, over which the points of its algorithms are spread."""

COLUMNS = 3
QUANTITY = re.compile(r"\s*([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(\D.*)?", re.IGNORECASE)


@dataclass(frozen=True)
class Scale:
    """The positions of an axis' values on a figure's abscissa."""

    name: str
    unit: str
    positions: Mapping[Value, float]
    is_numeric: bool
    """True for numbers in one unit; other values are at equal distances, in the plan's order."""

    @property
    def is_logarithmic(self) -> bool:
        """True if the values are positive and span more than a factor of ten."""
        positive = [place for place in self.positions.values() if place > 0]
        return self.is_numeric and len(positive) == len(self.positions) and max(positive) > 10 * min(positive)


def scale_of(axis: Axis) -> Scale:
    """The scale of an axis, numeric if its values have one unit in common ("5 packets", "10 packets")."""
    found: dict[Value, tuple[float, str]] = {}
    for value, _ in axis.values:
        matched = None if isinstance(value, bool) else QUANTITY.fullmatch(str(value))
        if matched is None:
            break
        found[value] = (float(matched[1]), (matched[2] or "").strip())
    units = {unit for _, unit in found.values()}
    if len(found) == len(axis.values) and len(units) == 1:
        return Scale(axis.name, units.pop(), {value: number for value, (number, _) in found.items()}, True)
    return Scale(axis.name, "", {value: float(place) for place, (value, _) in enumerate(axis.values)}, False)


def abscissa(axes: Sequence[Axis]) -> Axis | None:
    """The axis with most values, preferably numeric; None if nothing varies."""
    varied = [axis for axis in axes if len(axis.values) > 1]
    return max(varied, key=lambda axis: (len(axis.values), scale_of(axis).is_numeric), default=None)


def main_metrics(sweep: SweepRecord) -> list[str]:
    """The metrics displayed: the main ones that exist, and the plan's own measures.

    Where users load pages, what they notice comes first, then what the plan asks for, as classes of sizes.
    """
    present = set(sweep.summary["metric"].unique().to_list())
    main = [metric for metric in metrics.METRICS if metric.is_main and metric.key in present]
    noticed = [metric.key for metric in main if metric.is_of_people]
    others = [metric.key for metric in main if not metric.is_of_people]
    asked = [name for name in sweep.measured if name not in metrics.KEYS and name in present]
    # The response vector has more quantities than a table has room for.
    return [*noticed, *others, *asked] if sweep.plan.responses else [*noticed, *asked, *others]


_ENDINGS = {
    "_bit_per_s": "goodput_bit_per_s",
    "_share": "loss_share",
    "_packets": "mean_queue_packets",
    "_s": "completion_s",
}
"""The metric that gives unit and format to columns whose names have this ending; the ending is not
displayed."""


PER_SECOND = "_per_s"
"""The ending of a count per second."""


def described(key: str, largest: float) -> tuple[str, str, float]:
    """The title, unit and factor of a metric, or of another column, by the ending of its name."""
    if key not in metrics.KEYS:
        if key.endswith(PER_SECOND) and not key.endswith("_bit_per_s"):
            return key.removesuffix(PER_SECOND).replace("_", " "), "1/s", 1.0
        for ending, like in _ENDINGS.items():
            if key.endswith(ending):
                factor, unit = metrics.shown(metrics.metric(like), largest)
                return key.removesuffix(ending).replace("_", " "), unit, factor
        return key.replace("_", " "), "", 1.0
    metric = metrics.metric(key)
    factor, unit = metrics.shown(metric, largest)
    return metric.title, unit, factor


def draw(sweep: SweepRecord, key: str, width: float | str | None = None) -> Figure | None:
    """One metric over the main axis, a panel per combination of the others; None if nothing varies."""
    over = abscissa(sweep.plan.axes)
    if over is None:
        return None
    titles = sweep.plan.titles
    others = [axis.name for axis in sweep.plan.axes if axis is not over and len(axis.values) > 1]
    rows = sweep.summary.filter(pl.col("metric") == key)
    groups = [(None, rows)] if not others else list(rows.group_by(others, maintain_order=True))
    groups = groups[:MOST_PANELS]
    columns = min(max(1, int(style.width_inches(width) / 2)), COLUMNS)
    title, unit, factor = described(key, float(rows["mean"].abs().max() or 0))  # type: ignore[arg-type]
    with mpl.rc_context(style.MATPLOTLIB):
        figure, panels = new_panels(len(groups), columns, 2.1, width, sharex=True, sharey=True)
        for panel, (values, mine) in zip(panels, groups, strict=True):
            _panel(panel, sweep, scale_of(over), mine, bounds(key), factor)
            if values is not None:
                pairs = zip(others, values, strict=True)
                panel.set_title(for_figures(", ".join(f"{titles[name]} {value}" for name, value in pairs)))
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", ncols=style.legend_columns(width, labels))
        title = title if title[:2].isupper() else title[:1].lower() + title[1:]
        figure.supylabel(for_figures(f"{title} [{unit}]" if unit else title), fontsize=9)
        scale = scale_of(over)
        said = f"{titles[over.name]} [{scale.unit}]" if scale.unit else titles[over.name]
        figure.supxlabel(for_figures(said), fontsize=9)
    return figure


def _panel(
    panel: Axes,
    sweep: SweepRecord,
    scale: Scale,
    rows: pl.DataFrame,
    possible: tuple[float, float],
    factor: float,
) -> None:
    labels = list(sweep.plan.algorithms)
    looks = style.looks(labels)
    for number, label in enumerate(labels):
        mine = rows.filter(pl.col("label") == label)
        if mine.is_empty():
            continue
        places = [scale.positions[value] for value in mine[scale.name].to_list()]
        order = sorted(range(len(places)), key=places.__getitem__)
        x = [places[i] for i in order]
        mine = mine.with_columns(pl.col("low", "high").clip(*possible))
        mean, low, high = ([mine[column][i] * factor for i in order] for column in ("mean", "low", "high"))
        look = looks[label]
        line = (0, look.dash) if look.dash else "-"
        shown: dict[str, Any] = {
            "color": look.colour,
            "marker": look.marker,
            "markersize": 3.5,
            "label": for_figures(label),
        }
        if not scale.is_numeric:
            beside = SPREAD * ((number + 0.5) / len(labels) - 0.5)
            below = [a - b if math.isfinite(b) else 0.0 for a, b in zip(mean, low, strict=True)]
            above = [b - a if math.isfinite(b) else 0.0 for a, b in zip(mean, high, strict=True)]
            panel.errorbar(
                [place + beside for place in x], mean, (below, above), linestyle="none", capsize=2, **shown
            )
            continue
        panel.plot(x, mean, linestyle=line, **shown)
        if all(map(math.isfinite, low)):
            panel.fill_between(x, low, high, color=look.colour, alpha=0.2, linewidth=0)
    if scale.is_logarithmic:
        panel.set_xscale("log")
        panel.set_xticks([], minor=True)
    if not scale.is_numeric:
        panel.set_xlim(-0.5, len(scale.positions) - 0.5)
        panel.grid(visible=False, axis="x")
    if scale.is_logarithmic or not scale.is_numeric:
        texts = [f"{place:g}" if scale.is_numeric else str(value) for value, place in scale.positions.items()]
        panel.set_xticks(list(scale.positions.values()), [for_figures(text) for text in texts])
    if not scale.is_numeric:
        _break_where_crowded(panel, [str(value) for value in scale.positions])


LETTER_IN = 0.075
"""The width of a letter of a tick's label, in inches."""

LEAST_SIZE = 0.7
"""The size of crowded letters, relative to others, at which words are broken."""


def _break_where_crowded(panel: Axes, texts: Sequence[str]) -> None:
    """Breaks the labels of values into lines, so that none is wider than the room of its value.

    A word that is wider makes the letters smaller, down to `LEAST_SIZE`, before it is broken too.
    """
    figure = panel.get_figure()
    columns = panel.get_gridspec().ncols  # type: ignore[union-attr]
    room_in = 0.85 * float(figure.get_size_inches()[0]) / columns / len(texts)  # type: ignore[union-attr]
    letters = max(int(room_in / LETTER_IN), 4)
    if max(map(len, texts)) > letters:
        longest = max(len(word) for text in texts for word in re.split(r"(?<=-)|\s", text))
        size = min(max(letters / longest, LEAST_SIZE), 1.0)
        panel.tick_params("x", labelsize=size * mpl.rcParams["xtick.labelsize"])
        letters = int(letters / size + 1e-9)
        broken = ["\n".join(textwrap.wrap(for_figures(text), letters)) for text in texts]
        panel.set_xticks(list(panel.get_xticks()), broken)
