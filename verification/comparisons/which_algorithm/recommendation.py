"""Which algorithm the numbers support on each path, by one rule that is stated with it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ackclock.measures.statistics import Interval, paired_difference
from verification.comparisons import publication
from verification.comparisons.which_algorithm.runs import CUBIC, MEASURES, Cells, Measured

__all__ = ["ENOUGH", "HARMLESS", "SHARE", "Recommendation", "recommended", "written"]

ENOUGH = 0.9
"""The least share of the greatest goodput alone on the path."""
SHARE = 0.25
"""The least share of both flows' goodput in competition with CUBIC: half of an equal share."""
HARMLESS = 0.5
"""The least share, for CUBIC, of the goodput that a CUBIC flow has in competition with another."""


@dataclass(frozen=True)
class Recommendation:
    """The algorithms that the rule admits on a path, the one with the least queueing delay first."""

    path: str
    fastest: Measured
    """The one with the greatest goodput alone."""
    best: Measured | None
    alike: tuple[Measured, ...]
    """Other admitted algorithms whose delay is indistinguishable from the least."""
    cubic: Measured

    def sentence(self) -> str:
        """The recommendation in words."""
        fastest = f"greatest goodput alone: {_got(self.fastest, 'goodput')} with `{self.fastest.algorithm}`"
        best = self.best
        if best is None:
            return f"**{self.path}**: none. No algorithm meets all three conditions ({fastest})."
        parts = [
            f"**{self.path}**: `{best.algorithm}`.",
            f"It has {_got(best, 'goodput')} alone ({fastest})",
            f"with a queueing delay of {_got(best, 'delay')}",
            f"(CUBIC: {_got(self.cubic, 'goodput')} with {_got(self.cubic, 'delay')}),",
            f"and {_got(best, 'beside')} beside CUBIC, which has {_got(best, 'cubic')}.",
        ]
        if self.alike:
            names = ", ".join(f"`{each.algorithm}`" for each in self.alike)
            parts.append(f"The seeds do not tell its delay from that of {names}.")
        return " ".join(parts)


def _got(row: Measured, measure: str) -> str:
    """A value with its interval and unit."""
    return f"{written(row.interval(measure))} {MEASURES[measure].split(', ')[1]}"


def written(interval: Interval) -> str:
    """Two digits of the half width, but at most four of the estimate: paths differ by orders of magnitude."""
    sizes = ((interval.half_width, 2), (abs(interval.estimate), 4))
    digits = [significant - 1 - math.floor(math.log10(size)) for size, significant in sizes if size > 0]
    return publication.written(interval, max(min(digits, default=0), 0))


def recommended(cells: Cells, path: str, algorithms: Sequence[str]) -> Recommendation:
    """The rule: of those with enough goodput, alone and with CUBIC, the one with the least queueing delay.

    An algorithm that leaves CUBIC too little is excluded.
    """
    rows = [cells[path, name] for name in algorithms]
    fastest = max(rows, key=lambda row: row.mean("goodput"))
    cubic = cells[path, CUBIC]
    left = [
        row
        for row in rows
        if row.mean("goodput") >= ENOUGH * fastest.mean("goodput")
        and row.share >= SHARE
        and row.mean("cubic") >= HARMLESS * cubic.mean("cubic")
    ]
    left.sort(key=lambda row: row.mean("delay"))
    best = left[0] if left else None
    alike = tuple(row for row in left[1:] if best and not _slower(row, best))
    return Recommendation(path, fastest, best, alike, cubic)


def _slower(row: Measured, best: Measured) -> bool:
    """True if the queueing delay is longer: the interval of the paired difference is above zero."""
    difference = paired_difference(row.values["delay"], best.values["delay"])
    return difference.low > 0
