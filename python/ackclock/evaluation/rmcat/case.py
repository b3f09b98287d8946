"""Test cases of calls: experiments with what their document expects, in its words and as bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from ackclock.evaluation.criterion import Criterion

__all__ = ["Case", "Expectation"]


@dataclass(frozen=True)
class Expectation:
    """A sentence of the document, and the bounds within which a measure is as it says."""

    section: str
    """The document and its section, as "RFC 8867, 5.1"."""
    quote: str
    """The document's words."""
    measure: str
    """The key of the measure that is judged."""
    low: float = -math.inf
    high: float = math.inf
    """The bounds, in base units."""
    stated: bool = False
    """True if the document states the bounds; they are ours otherwise."""
    cells: tuple[str, ...] = ()
    """The cells of which it says something; none for all."""
    relative_to: str = ""
    """A cell: the measure is then divided by its value there, on the same seed."""


@dataclass(frozen=True)
class Case(Criterion):
    """A test case with its expectations; none if its document only asks for measures."""

    expectations: tuple[Expectation, ...]
    settled: Mapping[str, tuple[float, float]]
    """Spans in s, by their names in words, in which neither the capacity nor the traffic changes."""
    partial: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Cells without calls, for comparison alone, with the measures that they have. The others are 0 there."""

    def has(self, cell: str, measure: str) -> bool:
        """True if a measure means something in a cell."""
        return cell not in self.partial or measure in self.partial[cell]
