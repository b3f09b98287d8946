"""Heat maps: algorithms down, paths across, each cell with its mean and half of its 95 % interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from matplotlib import rc_context
from matplotlib.figure import Figure

from ackclock.report.figures import new_figure
from ackclock.report.style import MATPLOTLIB
from ackclock.sweeps.heat_maps import COLOURS
from verification.comparisons.which_algorithm.runs import Cells, Measured

__all__ = ["MAPS", "draw"]

Colour = Callable[[Measured, Sequence[Measured]], float]
"""The colour of a cell from 0, worst, to 1, best, relative to the other cells of its path."""


def _of_greatest(cell: Measured, column: Sequence[Measured]) -> float:
    greatest = max(other.mean("goodput") for other in column)
    return cell.mean("goodput") / greatest if greatest else 0.0


def _of_delays(cell: Measured, column: Sequence[Measured]) -> float:
    """By logarithms from the longest delay to the shortest, or to a thousandth of the longest."""
    longest = max(other.mean("delay") for other in column)
    shortest = max(min(other.mean("delay") for other in column), longest / 1000)
    if longest <= shortest:
        return 1.0
    return math.log(longest / max(cell.mean("delay"), shortest)) / math.log(longest / shortest)


def _of_both(cell: Measured, _column: Sequence[Measured]) -> float:
    return cell.share


MAPS: dict[str, tuple[str, str, Colour]] = {
    "goodput": (
        "Goodput alone [Mbit/s]",
        "colour: share of the greatest on the path",
        _of_greatest,
    ),
    "delay": (
        "Mean queueing delay alone [ms]",
        "colour: from the longest on the path (dark) to the shortest, by logarithms",
        _of_delays,
    ),
    "beside": (
        "Goodput beside one CUBIC flow [Mbit/s]",
        "colour: share of the goodput of both, from none (dark) to all",
        _of_both,
    ),
}
"""By measure: the title, the meaning of the colours, and the colour."""


def draw(cells: Cells, measure: str, paths: Sequence[str], algorithms: Sequence[str]) -> Figure:
    """One map."""
    title, meaning, colour = MAPS[measure]
    figure, (axes,) = new_figure(1, 1, height=1.3 + 0.19 * len(algorithms))
    columns = [[cells[path, name] for name in algorithms] for path in paths]
    grid = [[colour(column[place], column) for column in columns] for place in range(len(algorithms))]
    with rc_context(MATPLOTLIB):
        axes.imshow(grid, cmap=COLOURS, vmin=0, vmax=1, aspect="auto")
        axes.grid(visible=False)
        axes.set_title(f"{title}\n{meaning}", fontsize=8, loc="left")
        axes.set_xticks(range(len(paths)), [path.replace("-", "-\n") for path in paths], fontsize=6.5)
        axes.set_yticks(range(len(algorithms)), algorithms, fontsize=6.5)
        for x, column in enumerate(columns):
            for y, cell in enumerate(column):
                interval = cell.interval(measure)
                text = f"{_number(interval.estimate)} ± {_number(interval.half_width)}"
                ink = "white" if grid[y][x] < 0.55 else "black"
                axes.text(x, y, text, fontsize=5, color=ink, ha="center", va="center")
    return figure


def _number(value: float) -> str:
    return (
        f"{value:.0f}" if value >= 99.5 or value == 0 else f"{value:.2g}" if value >= 1e-3 else f"{value:.0e}"
    )
