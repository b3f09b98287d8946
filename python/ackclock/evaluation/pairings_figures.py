"""Heat maps of pairings: a row for each incumbent, a column for each contender, a panel for each rate."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import matplotlib as mpl
from matplotlib.figure import Figure

from ackclock.evaluation.coexistence_figures import CELLS, HARM_COLOURS, SHARE_COLOURS, heat_panel
from ackclock.evaluation.pairings import Outcome, Pairings
from ackclock.evaluation.pairings_documents import readers
from ackclock.measures.statistics import Interval
from ackclock.report import style
from ackclock.report.canvas import new_panels
from ackclock.report.text import for_figures

__all__ = ["load_map", "share_map"]


def share_map(done: Pairings) -> Figure:
    """The share of the fair share: white at the fair share, orange below."""
    colours = mpl.colors.Normalize(0, 2)
    heading = "part of its max-min fair share that the incumbent gets [%]"
    return _draw(done, heading, done.services, lambda found: found.share, (colours, SHARE_COLOURS, 100))


def load_map(done: Pairings) -> Figure:
    """The load times of pages: white as without a contender, orange above."""

    def value(found: Outcome) -> Interval:
        return Interval(found.load_s / found.load_alone_s, math.nan, math.nan, len(done.seeds))

    # As far below one as above it, on a logarithmic scale, for the same colours.
    colours = mpl.colors.LogNorm(1 / 8, 8)
    heading = "load time of the incumbent's pages, times as long as alone"
    return _draw(done, heading, readers(done), value, (colours, HARM_COLOURS, 1))


def _draw(
    done: Pairings,
    heading: str,
    incumbents: Sequence[str],
    value: Callable[[Outcome], Interval],
    scale: tuple[mpl.colors.Normalize, str, float],
) -> Figure:
    """A panel for each rate. `scale` has the colours, their map and the factor of the numbers."""
    rates, contenders = done.rates_mbit_per_s, done.services
    columns = max(1, min(len(rates), 2, CELLS // len(contenders)))
    height = 0.9 + 0.42 * len(incumbents)
    figure, panels = new_panels(len(rates), columns, height, around=1.1, sharey=True)
    with mpl.rc_context(style.MATPLOTLIB):
        for panel, rate in zip(panels, rates, strict=True):
            grid = [[value(done.outcomes[rate, mine, other]) for other in contenders] for mine in incumbents]
            heat_panel(panel, grid, (incumbents, contenders), *scale)
            panel.set_title(f"{rate:g} Mbit/s")
        figure.suptitle(for_figures(heading), fontsize=9, fontweight="bold", x=0.01, ha="left")
        figure.supxlabel("contender", fontsize=9)
        figure.supylabel("incumbent", fontsize=9)
    return figure
