"""The common style of figures and charts: a colour, a marker and a dash pattern per algorithm, and widths.

The palette begins with the colours of Okabe and Ito, distinguishable with every common colour blindness,
without its yellow and black, which are invisible on a light or a dark page. If there are more algorithms than
distinguishable colours, they differ in marker and dashes.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ackclock.errors import InputError, advice, unknown

__all__ = [
    "BLUE",
    "BROWN",
    "CRIMSON",
    "FIGURE_FORMATS",
    "GREEN",
    "GREY",
    "MAGENTA",
    "MATPLOTLIB",
    "OLIVE",
    "ORANGE",
    "PURPLE",
    "SKY",
    "TEXT_WIDTH",
    "VERMILION",
    "VIOLET",
    "WIDTHS",
    "Look",
    "check_formats",
    "limits",
    "looks",
    "width_inches",
]


@dataclass(frozen=True)
class Look:
    """A line's colour (hexadecimal), marker (matplotlib's letter) and dash pattern (points on and off)."""

    colour: str
    marker: str
    dash: tuple[float, ...]

    def resembles(self, other: Look) -> bool:
        """True if both have one marker or one colour."""
        return self.marker == other.marker or self.colour == other.colour


FIGURE_FORMATS = ("svg", "png", "pdf")
"""The formats of figures."""

VERMILION, ORANGE, GREEN, BLUE, PURPLE, SKY = "#d55e00", "#e69f00", "#009e73", "#0072b2", "#cc79a7", "#56b4e9"
BROWN, GREY, VIOLET, CRIMSON, OLIVE, MAGENTA = (
    "#8a6d3b", "#7a7a7a", "#7b5ac0", "#b2182b", "#8f8f2a", "#d6489b",
)  # fmt: skip

_KNOWN = {
    "tahoe": Look(VERMILION, "o", (1, 1)),
    "reno": Look(ORANGE, "s", (3, 1, 1, 1)),
    "newreno": Look(GREEN, "^", (5, 1)),
    "sack": Look(BLUE, "D", ()),
    "vegas": Look(PURPLE, "v", (4, 1, 1, 1, 1, 1)),
    "prr": Look(BLUE, "<", (6, 2)),
    "rack": Look(GREEN, "D", (2, 1)),
    "cubic": Look(SKY, "P", ()),
    "bbr1": Look(CRIMSON, "X", (4, 2)),
    "bbr3": Look(VIOLET, "p", (6, 1, 2, 1)),
    "dctcp": Look(BROWN, "h", (3, 2)),
    "htcp": Look(GREY, "*", (6, 2)),
    "bic": Look(OLIVE, "d", (1, 2)),
    "compound": Look(MAGENTA, ">", (5, 2, 1, 2)),
    "fast": Look(CRIMSON, "H", (2, 2)),
    "westwood": Look(BROWN, "8", (1, 1)),
    "hstcp": Look(BLUE, "^", (3, 1)),
    "scalable": Look(GREEN, "o", (4, 1)),
    "hetcp": Look(ORANGE, "v", (2, 1)),
    "subpacket": Look(MAGENTA, "P", (1, 1)),
    "tfrc": Look(VERMILION, "X", (5, 1, 1, 1)),
    "ledbat": Look("#4f7f1f", "d", (2, 1)),
    "ledbat-plus-plus": Look("#4f7f1f", "*", (5, 1, 1, 1)),
    "copa": Look("#2f8f9f", "X", (6, 2)),
    "prague": Look(BROWN, "p", ()),
    "xcp": Look(BLUE, "s", (5, 1, 1, 1)),
}
"""The looks of well-known algorithms, the same in every report."""

_OWN = (
    Look("#6f6fd0", "x", (1, 2)),
    Look("#a6761d", "+", (3, 2)),
    Look("#c0504d", "1", (6, 1, 2, 1)),
    Look("#3b7a57", "2", (2, 1)),
    Look("#b05fc4", "3", (5, 1)),
)
"""The looks of algorithms of other names, as one's own classes. No well-known algorithm has their markers."""

_OTHERS = (
    Look("#4f7f1f", "P", (2, 1)),
    Look("#2f8f9f", "X", (6, 2)),
    Look("#a6761d", "*", (3, 2)),
    Look("#6f6fd0", "p", (1, 2)),
    Look("#c0504d", "h", (6, 1, 2, 1)),
    Look(GREY, "<", (4, 1)),
)

_PARAMETERS = re.compile(r"\([^()]*\)")


def _algorithm(label: str) -> str:
    """The avoidance or model of a label, without parameters: "cubic" of "sack+cubic(c=1)"."""
    return _PARAMETERS.sub("", label).rpartition("+")[2].strip()


def looks(labels: Sequence[str]) -> dict[str, Look]:
    """A look for each label, different within one figure.

    A well-known algorithm has its own, also with a recovery or parameters, unless another label of the figure
    names it alone. An algorithm of another name has one by its name, the same in every figure unless two
    names would share it. Every other label gets the next free look, with its own marker and colour while
    there are any left.
    """
    chosen = {label: _KNOWN[label] for label in labels if label in _KNOWN}
    for label in labels:
        own = _KNOWN.get(_algorithm(label))
        if label not in chosen and own is not None and own not in chosen.values():
            chosen[label] = own
    for label in sorted(labels):
        if label not in chosen and _algorithm(label) not in _KNOWN:
            first = zlib.crc32(_algorithm(label).encode()) % len(_OWN)
            free = (look for look in (*_OWN[first:], *_OWN[:first]) if look not in chosen.values())
            if (own := next(free, None)) is not None:
                chosen[label] = own
    for label in labels:
        if label not in chosen:
            chosen[label] = _unlike(list(chosen.values()))
    return {label: chosen[label] for label in labels}


def _unlike(taken: Sequence[Look]) -> Look:
    """An unused look that resembles the fewest used ones and has the colour farthest from theirs."""
    free = [look for look in (*_OTHERS, *_KNOWN.values()) if look not in taken] or _OTHERS

    def nearness(look: Look) -> tuple[int, float]:
        return sum(map(look.resembles, taken)), -min(
            (_distance(look.colour, other.colour) for other in taken), default=0.0
        )

    return min(free, key=nearness)


def _distance(colour: str, other: str) -> float:
    """The distance of two hexadecimal colours as levels of red, green and blue."""
    levels = [[int(text[place : place + 2], 16) for place in (1, 3, 5)] for text in (colour, other)]
    return math.dist(*levels)


TEXT_WIDTH = 6.3
"""The text width of A4 with usual margins, in inches: 160 mm."""

WIDTHS = {
    "ieee-column": 3.5, "ieee-page": 7.16, "acm-column": 3.33, "acm-page": 7.0, "text": TEXT_WIDTH,
    "slide": 10.0,
}  # fmt: skip
"""Widths of figures by name, in inches."""


def check_formats(formats: Sequence[str]) -> None:
    """Raises InputError for a figure format that does not exist."""
    for name in formats:
        if name not in FIGURE_FORMATS:
            raise unknown("figure format", name, FIGURE_FORMATS)


def width_inches(width: float | str | None) -> float:
    """A width in inches, from a number or a name; the width of a page of text for None. Raises InputError."""
    if width is None:
        return TEXT_WIDTH
    if isinstance(width, str) and width.strip() in WIDTHS:
        return WIDTHS[width.strip()]
    try:
        inches = float(width)
    except ValueError:
        names = (*WIDTHS, "a number of inches")
        raise InputError(f'no width is named "{width}"{advice(str(width), names)}') from None
    if not 2 <= inches <= 40:
        raise InputError(f"width: found {width}; expected 2 to 40 inches")
    return inches


def legend_columns(width: float | str | None, labels: Sequence[str]) -> int:
    """The columns of a legend above a figure of this width, by the longest of its labels."""
    entry = max(1.2, 0.45 + 0.075 * max(map(len, labels), default=0))
    return max(1, int(width_inches(width) / entry))


LEAST_SPAN = 0.25
"""The least span of an axis, as a share of its largest value."""

INTERVALS_IN_SPAN = 4
"""The least span of an axis, in widths of the widest interval."""


def limits(values: Sequence[float], halves: Sequence[float] = ()) -> tuple[float, float]:
    """The limits of an axis on which noise does not look like a difference.

    It spans all values, at least a quarter of the largest, and at least four times the widest interval;
    `halves` are half-widths of intervals. It does not extend beyond zero unless a value does.
    """
    low, high = min(values), max(values)
    largest = max(abs(low), abs(high))
    span = max(high - low, LEAST_SPAN * largest, INTERVALS_IN_SPAN * 2 * max(halves, default=0.0))
    if span == 0:
        return -0.5, 0.5
    middle, span = (low + high) / 2, 1.12 * span
    begin, end = middle - span / 2, middle + span / 2
    if low >= 0 > begin:
        return -0.02 * span, max(high + 0.06 * span, end)
    return begin, end


MATPLOTLIB: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.1,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "figure.dpi": 150,
    "savefig.dpi": 200,
    # Text is written as text: files are smaller and can be searched.
    "svg.fonttype": "none",
    # TrueType fonts, since publishers refuse matplotlib's usual Type 3.
    "pdf.fonttype": 42,
    # A figure for LaTeX has the fonts of the document.
    "pgf.rcfonts": False,
    "pgf.texsystem": "pdflatex",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
    # Equal data give equal files: element names depend on this salt alone, and there is no date.
    "svg.hashsalt": "ackclock",
}
"""Settings of every printed figure: on white."""
