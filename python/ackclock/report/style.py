"""The common style of figures and charts: a colour, a marker and a dash pattern per algorithm.

The palette is that of Okabe and Ito, distinguishable with every common colour blindness, without its yellow
and black, which are invisible on a light or a dark page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["MATPLOTLIB", "Look", "looks"]


@dataclass(frozen=True)
class Look:
    """A line's colour (hexadecimal), marker (matplotlib's letter) and dash pattern (points on and off)."""

    colour: str
    marker: str
    dash: tuple[float, ...]


VERMILION, ORANGE, GREEN, BLUE, PURPLE, SKY = "#d55e00", "#e69f00", "#009e73", "#0072b2", "#cc79a7", "#56b4e9"

_KNOWN = {
    "tahoe": Look(VERMILION, "o", (1, 1)),
    "reno": Look(ORANGE, "s", (3, 1, 1, 1)),
    "newreno": Look(GREEN, "^", (5, 1)),
    "sack": Look(BLUE, "D", ()),
    "vegas": Look(PURPLE, "v", (4, 1, 1, 1, 1, 1)),
}

_OTHERS = (
    Look(SKY, "P", (2, 1)),
    Look("#8a6d3b", "X", (6, 2)),
    Look("#7a7a7a", "*", (3, 2)),
    Look("#6a51a3", "p", (1, 2)),
    Look("#b2182b", "h", (6, 1, 2, 1)),
)


def looks(labels: Sequence[str]) -> dict[str, Look]:
    """A look for each label: the algorithm's own if it has one, else the next that no other label uses."""
    chosen = {label: _KNOWN[label] for label in labels if label in _KNOWN}
    taken = set(chosen.values())
    free = [look for look in (*_OTHERS, *_KNOWN.values()) if look not in taken] or list(_OTHERS)
    rest = [label for label in labels if label not in chosen]
    chosen |= {label: free[index % len(free)] for index, label in enumerate(rest)}
    return {label: chosen[label] for label in labels}


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
    # Text stays text: files are smaller and can be searched.
    "svg.fonttype": "none",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
    # Equal data give equal files: element names depend on this salt alone, and there is no date.
    "svg.hashsalt": "ackclock",
}
"""Settings of every printed figure: sized for a text width of 160 mm, on white."""
