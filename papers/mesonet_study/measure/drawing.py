"""Figures that designs do not have of themselves: beside standard TCP, by class, and of fairness."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from ackclock.measures import statistics
from ackclock.report.figures import new_figure
from ackclock.report.style import BLUE, MATPLOTLIB, ORANGE, VERMILION
from ackclock.sweeps import design_figures

from .study import BESIDE, PROPOSALS, TITLES, Study

OTHERS = (*PROPOSALS, *BESIDE)
CLASSES = ("web", "document", "software")
PATHS = ("path_1_1", "path_1_2", "path_2_2")

Drawn = tuple[Figure, str]
"""A figure and its caption."""


def together(study: Study, responses: Sequence[str]) -> dict[str, Drawn]:
    """Correlation, principal components and clusters of the responses, by name."""
    few = study.only(responses)
    correlated = "Pearson's correlation of the responses over all runs."
    in_plane = "The responses in the plane of their principal components."
    distances = "Mechanisms by the distance of their standardised responses at all settings (Ward)."
    return {
        "correlation": (design_figures.correlation(few), correlated),
        "components": (design_figures.components(few), in_plane),
        "clusters": (design_figures.clusters(few), distances),
    }


def against_tcp(study: Study) -> Drawn:
    """Each mechanism's responses over standard TCP's, means over settings with their intervals."""
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
            for speed, colour, offset in (("slow", VERMILION, -0.15), ("fast", BLUE, 0.15)):
                for place, label in enumerate(OTHERS):
                    ratios = study.ratios(metric, label, speed=speed)
                    if not ratios:
                        continue
                    interval = statistics.mean_interval(ratios)
                    axes.plot([interval.low, interval.high], [place + offset] * 2, color=colour, lw=1.2)
                    axes.plot(
                        interval.estimate, place + offset, "o", color=colour, ms=3.5,
                        label=f"{speed} network" if place == 0 else None,
                    )  # fmt: skip
            axes.axvline(1, color="#7a7a7a", lw=0.8, ls=":")
            axes.set_title(title)
            if metric == "retransmission_rate":
                axes.set_xscale("log")
            axes.set_yticks(range(len(OTHERS)), [TITLES[label] for label in OTHERS])
            axes.set_ylim(len(OTHERS) - 0.5, -0.5)
        handles, labels = found[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", ncols=2)
        figure.supxlabel("over standard TCP's, mean over settings with 95 % interval", fontsize=9)
    return figure, "Responses of each mechanism over standard TCP's at the same setting."


def classes(study: Study) -> Drawn:
    """Goodput by file class and path class, over standard TCP's, on the fast network."""
    columns = [(name, path) for name in CLASSES for path in PATHS]
    values = np.array(
        [
            [
                _mean(study.ratios(f"goodput_{name}_{path}_bit_per_s", label, speed="fast"))
                for name, path in columns
            ]
            for label in OTHERS
        ]
    )
    with rc_context(MATPLOTLIB):
        figure, (axes,) = new_figure(height=3.9)
        axes.grid(visible=False)
        axes.imshow(values, cmap="PuOr_r", vmin=0.5, vmax=1.5, aspect="auto")
        for (row, column), value in np.ndenumerate(values):
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=7)
        names = [f"{name}\n{_of_path(path)}" for name, path in columns]
        axes.set_xticks(range(len(columns)), names, fontsize=7)
        axes.set_yticks(range(len(OTHERS)), [TITLES[label] for label in OTHERS])
    return (
        figure,
        "Goodput over standard TCP's by file class and path class, fast network, mean over settings.",
    )


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")


def _of_path(path: str) -> str:
    return {"path_1_1": "slow access", "path_1_2": "slow to fast", "path_2_2": "fast access"}[path]


def fairness(study: Study) -> Drawn:
    """Jain's index of two long flows of one path, over the settings of the fast network."""
    fast = study.where(speed="fast")
    labels = ("tcp", *OTHERS)
    with rc_context(MATPLOTLIB):
        figure, (axes,) = new_figure(height=3.2)
        spread = [study.values("fairness_long", label)[fast] for label in labels]
        axes.boxplot(
            spread, orientation="horizontal", widths=0.55, patch_artist=True, flierprops={"markersize": 3},
            boxprops={"facecolor": "#dce9f5"}, medianprops={"color": ORANGE},
        )  # fmt: skip
        axes.set_yticks(range(1, len(labels) + 1), [TITLES[label] for label in labels])
        axes.invert_yaxis()
        axes.set_xlabel("Jain's index of two long flows of one path")
    return figure, "Fairness of two long flows of one path, a box over the settings of the fast network."
