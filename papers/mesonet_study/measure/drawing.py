"""Figures that designs do not have themselves: compared with standard TCP, by class, and of fairness."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ackclock.measures import statistics
from ackclock.report.figures import new_figure
from ackclock.report.style import BLUE, GREY, MATPLOTLIB, ORANGE, VERMILION
from ackclock.sweeps import response_figures

from .study import BESIDE, PROPOSALS, TITLES, Study

OTHERS = (*PROPOSALS, *BESIDE)
CLASSES = ("web", "document", "software", "film")
PATHS = ("path_1_1", "path_1_2", "path_2_2")

Drawn = tuple[Figure, str]
"""A figure and its caption."""


def geometric(ratios: Sequence[float]) -> statistics.Interval | None:
    """The geometric mean of those above zero, with its interval; None if there is none."""
    positive = [ratio for ratio in ratios if ratio > 0]
    return statistics.geometric_interval(positive) if positive else None


def together(study: Study, metrics: Sequence[str]) -> dict[str, Drawn]:
    """Correlation, principal components and clusters of the responses, by name."""
    few = study.only(metrics)
    runs = f"{few.summary.select('point', 'label').n_unique()} pairs of setting and mechanism"
    correlated = f"Pearson's correlation of the responses over {runs}, in hundredths."
    in_plane = (
        f"Left: {runs} in the plane of the first two principal components, and the means of the mechanisms. "
        "Right: the correlation of each response with them; on the circle it would be 1."
    )
    distances = "Mechanisms by the distance of their standardised responses at all settings (Ward)."
    return {
        "correlation": (response_figures.correlation(few), correlated),
        "components": (response_figures.components(few), in_plane),
        "clusters": (response_figures.clusters(few), distances),
    }


RATIOS = (0.25, 0.5, 1, 2, 4, 10, 30, 100, 300)
"""The ticks of a logarithmic axis of ratios."""
FINE = (0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 4)
"""Those of one that spans less than a factor of four."""


def against_tcp(study: Study) -> Drawn:
    """Each mechanism's responses over standard TCP's, geometric means over settings with their intervals."""
    panels = {
        "goodput_web_bit_per_s": "web files",
        "goodput_document_bit_per_s": "documents",
        "goodput_software_bit_per_s": "software",
        "goodput_long": "long flows",
        "retransmission_rate": "retransmissions",
        "utilisation_access": "utilisation (access)",
    }
    with rc_context(MATPLOTLIB):
        figure, found = new_figure(2, 3, 5.2, None, sharey=True)
        for axes, (metric, title) in zip(found, panels.items(), strict=True):
            ends = [1.0]
            for speed, colour, marker, offset in (("slow", VERMILION, "s", -0.16), ("fast", BLUE, "o", 0.16)):
                axes.plot([], [], marker, color=colour, ms=3.5, label=f"{speed} network")
                for place, label in enumerate(OTHERS):
                    interval = geometric(study.ratios(metric, label, speed=speed))
                    if interval is None:
                        continue
                    axes.plot([interval.low, interval.high], [place + offset] * 2, color=colour, lw=1.2)
                    axes.plot(interval.estimate, place + offset, marker, color=colour, ms=3.5)
                    ends += [bound for bound in (interval.low, interval.high) if np.isfinite(bound)]
            axes.axvline(1, color=GREY, lw=0.8, ls=":")
            axes.set_title(title)
            _log_of_ratios(axes, min(ends), max(ends))
            axes.set_yticks(range(len(OTHERS)), [TITLES[label] for label in OTHERS])
            axes.set_ylim(len(OTHERS) - 0.5, -0.5)
        handles, labels = found[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", ncols=2)
        figure.supxlabel("over standard TCP's, geometric mean over settings with 95 % interval", fontsize=9)
    slow, fast = (int(study.where(speed=speed).sum()) for speed in ("slow", "fast"))
    return figure, (
        "Responses of each mechanism over standard TCP's at the same setting: geometric means with 95 % "
        f"intervals over {slow} settings of the slow network and {fast} of the fast one, less those where "
        "one of the two is 0 or has no value."
    )


def _log_of_ratios(axes: Axes, low: float, high: float) -> None:
    """A logarithmic abscissa with the ticks that fit."""
    low, high = low / 1.05, high * 1.05
    ticks = [1.0]
    for tick in FINE if high / low < 4 else RATIOS:
        apart = min(abs(np.log(tick / other)) for other in ticks)
        if low <= tick <= high and apart > TICK_DISTANCE * np.log(high / low):
            ticks.append(tick)
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(FixedLocator(sorted(ticks)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


TICK_DISTANCE = 0.17
"""The least distance of two ticks relative to the length of the axis."""


def classes(study: Study) -> Drawn:
    """Goodput by file class and path class, over standard TCP's, on the fast network."""
    columns = [(name, path) for name in CLASSES for path in PATHS]
    found = [
        [
            geometric(study.ratios(f"goodput_{name}_{path}_bit_per_s", label, speed="fast"))
            for name, path in columns
        ]
        for label in OTHERS
    ]
    values = np.array([[np.nan if one is None else one.estimate for one in row] for row in found])
    with rc_context(MATPLOTLIB):
        figure, (axes,) = new_figure(height=4.6)
        axes.grid(visible=False)
        image = axes.imshow(values, cmap="PuOr_r", norm=LogNorm(0.5, 2), aspect="auto")
        for row, intervals in enumerate(found):
            for column, interval in enumerate(intervals):
                _cell(axes, column, row, interval)
        names = [f"{name}\n{_of_path(path)}" for name, path in columns]
        axes.set_xticks(range(len(columns)), names, fontsize=6)
        axes.set_yticks(range(len(OTHERS)), [TITLES[label] for label in OTHERS])
        axes.tick_params(length=0)
        for boundary in range(len(PATHS), len(columns), len(PATHS)):
            axes.axvline(boundary - 0.5, color="white", lw=2)
        bar = figure.colorbar(
            image, ax=axes, orientation="horizontal", fraction=0.04, pad=0.02, extend="both"
        )
        bar.set_ticks([0.5, 0.7, 1, 1.4, 2], labels=["0.5", "0.7", "1", "1.4", "2"])
        bar.ax.minorticks_off()
        bar.set_label("goodput over standard TCP's")
    settings = int(study.where(speed="fast").sum())
    return figure, (
        "Goodput over standard TCP's by file class and class of the path's two access links, fast network: "
        f"geometric mean over up to {settings} settings, below it its 95 % interval, bold where that leaves "
        "out 1. Settings at which no such file finished are left out."
    )


def _cell(axes: Axes, column: int, row: int, interval: statistics.Interval | None) -> None:
    if interval is None:
        axes.text(column, row, "–", ha="center", va="center", fontsize=7)
        return
    is_dark = not 0.62 < interval.estimate < 1.6
    colour = "white" if is_dark else "black"
    decided = interval.low > 1 or interval.high < 1
    said = f"{interval.estimate:.2f}"
    weight = "bold" if decided else "normal"
    axes.text(column, row - 0.16, said, ha="center", va="center", fontsize=7, color=colour, weight=weight)
    if np.isfinite(interval.low):
        bounds = f"{interval.low:.2f}–{interval.high:.2f}"
        axes.text(column, row + 0.22, bounds, ha="center", va="center", fontsize=4.8, color=colour)


def _of_path(path: str) -> str:
    return {"path_1_1": "slow\nboth", "path_1_2": "slow\nand fast", "path_2_2": "fast\nboth"}[path]


def fairness(study: Study) -> Drawn:
    """Jain's index of two long flows of one path, over the settings of the fast network."""
    fast = study.where(speed="fast")
    labels = ("tcp", *OTHERS)
    with rc_context(MATPLOTLIB):
        figure, (axes,) = new_figure(height=3.2)
        found = [study.values("fairness_long", label)[fast] for label in labels]
        spread = [values[np.isfinite(values)] for values in found]
        axes.boxplot(
            spread, orientation="horizontal", widths=0.55, patch_artist=True, flierprops={"markersize": 3},
            boxprops={"facecolor": "#dce9f5"}, medianprops={"color": ORANGE},
        )  # fmt: skip
        axes.set_yticks(range(1, len(labels) + 1), [TITLES[label] for label in labels])
        axes.invert_yaxis()
        # One flow has everything at 1/2.
        axes.set_xlim(0.49, 1.01)
        least, most = min(map(len, spread)), max(map(len, spread))
        counted = f"{least}" if least == most else f"{least} to {most}"
        axes.set_xlabel(f"Jain's index of two long flows of one path (n = {counted} settings)")
    return figure, (
        f"Fairness of two long flows of one path, mean of two such paths, over {counted} settings of the "
        "fast network: median, quartiles, the farthest within 1.5 times their distance, and what lies beyond."
    )
