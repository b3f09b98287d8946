"""Empty figures for print, in the common style and of a paper's width."""

from __future__ import annotations

import io
import math
import pickle
import re
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import Formatter

from ackclock.report import style

__all__ = ["PrintFigure", "new_figure", "new_panels"]


LETTERS_OF_LATEX = re.compile(r"(?<!\\)([&_#{}])")
"""Letters that LaTeX reads as commands; matplotlib takes care of others, as of %."""


class PrintFigure(Figure):
    """A figure that keeps the common style when it is saved, and that notebooks show without pyplot."""

    def savefig(self, *args: Any, **kwargs: Any) -> None:
        """Saves the figure in its own style: text as text, and fonts that publishers take.

        A file that ends in .pgf is for LaTeX, whose document gives it its fonts.
        """
        kind = kwargs.get("format") or str(args[0] if args else "").rpartition(".")[2]
        with mpl.rc_context(style.MATPLOTLIB):
            if kind == "pgf" or kwargs.get("backend") == "pgf":
                super(PrintFigure, _for_latex(self)).savefig(*args, **kwargs)
            else:
                super().savefig(*args, **kwargs)

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()


class _Escaped(Formatter):
    """The labels of another formatter, changed."""

    def __init__(self, other: Formatter, change: Callable[[str], str]) -> None:
        self._other, self._change = other, change

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The label of a tick."""
        return self._change(self._other(x, pos))

    def format_ticks(self, values: Any) -> list[str]:
        """The labels of all ticks, which the other formatter writes together."""
        return [self._change(label) for label in self._other.format_ticks(values)]

    def get_offset(self) -> str:
        """The common factor of the labels."""
        return self._other.get_offset()

    def set_locs(self, locs: Any) -> None:
        """Tells the other formatter the places of the ticks."""
        self._other.set_locs(locs)


def _for_latex(figure: PrintFigure) -> PrintFigure:
    """A copy whose texts LaTeX prints letter by letter, but for formulas, as of powers of ten."""

    def escaped(text: str) -> str:
        return text if "$" in text else LETTERS_OF_LATEX.sub(r"\\\1", text)

    copy: PrintFigure = pickle.loads(pickle.dumps(figure))  # noqa: S301 - made here
    for text in copy.findobj(Text):
        text.set_text(escaped(text.get_text()))
    for axes in copy.axes:
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(_Escaped(axis.get_major_formatter(), escaped))
    return copy


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
