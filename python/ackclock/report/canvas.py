"""Empty figures for print, in the common style and of a paper's width."""

from __future__ import annotations

import io
import math
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ackclock.report import style

__all__ = ["PrintFigure", "new_figure", "new_panels"]


class PrintFigure(Figure):
    """A figure that keeps the common style when it is saved, and that notebooks show without pyplot."""

    def savefig(self, *args: Any, **kwargs: Any) -> None:
        """Saves the figure in its own style: text as text, and fonts that publishers take."""
        with mpl.rc_context(style.MATPLOTLIB):
            super().savefig(*args, **kwargs)

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()


def new_figure(
    rows: int = 1, columns: int = 1, height: float = 2.6, width: float | str | None = None, **options: Any
) -> tuple[Figure, list[Axes]]:
    """An empty figure in the common style, and its axes row by row; `height` in inches.

    `width` is in inches or a name, as "ieee-column"; by default it is that of a page of text.
    """
    with mpl.rc_context(style.MATPLOTLIB):
        figure = PrintFigure(figsize=(style.width_inches(width), height), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False, **options)
    return figure, list(axes.flat)


def new_panels(
    number: int,
    most: int,
    height: float,
    width: float | str | None = None,
    *,
    around: float = 0.7,
    **options: Any,
) -> tuple[Figure, list[Axes]]:
    """A figure of this many panels in lines as equal as can be, of `most` panels at most.

    `height` is that of a line, and `around` that of what surrounds the lines, in inches. Of panels with a
    common axis, the lowest of each column shows its numbers, also where the last line is shorter.
    """
    lines = math.ceil(number / max(1, most))
    columns = math.ceil(number / lines)
    figure, panels = new_figure(lines, columns, around + height * lines, width, **options)
    for place, panel in enumerate(panels):
        panel.set_visible(place < number)
        if place < number <= place + columns:
            panel.tick_params(labelbottom=True)
    return figure, panels[:number]
