"""Criteria: questions of a document such as RFC 9743, experiments that answer them, and their measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ackclock.measures.record import RunRecord

__all__ = [
    "STANDARDS",
    "Cell",
    "Criterion",
    "Force",
    "Measure",
    "NotEvaluated",
    "Settings",
    "flow_count",
]

Force = Literal["MUST", "SHOULD", "should", "must consider", "may", ""]
"""The word that RFC 9743 gives a criterion, in the RFC's letters; empty in other suites."""

STANDARDS = ("rack+reno", "cubic")
"""The standard congestion controls, RFC 5681 and RFC 9438, with the recovery that other algorithms have by
default.

`reno` alone is the recovery of 1990, without selective acknowledgments.
"""

Settings = Mapping[str, object]


@dataclass(frozen=True)
class Measure:
    """A quantity that a criterion compares, in base units."""

    key: str
    title: str
    unit: str
    factor: float
    """Converts base units into `unit`."""
    digits: int
    better: Literal["higher", "lower"]
    floor: float
    """A difference that does not matter. It is added to both values before their quotient is taken."""


@dataclass(frozen=True)
class Cell:
    """One setting of an experiment: a scenario in which `tcp.algorithm` is the contender's."""

    name: str
    """Words for the row of a table, such as "4 flows, buffer 100 % of the BDP"."""
    scenario: Settings
    standards: tuple[str, ...] = STANDARDS
    """The algorithms that stand in the contender's place for comparison."""
    references: Mapping[str, Cell] = field(default_factory=dict)
    """For measures by their keys, the cell against which harm is computed; none for no harm."""


@dataclass(frozen=True)
class Criterion:
    """One criterion of a suite with its experiment."""

    key: str
    section: str
    title: str
    force: Force
    question: str
    """The question that the experiment answers."""
    experiment: str
    """The experiment in one or two sentences."""
    measures: tuple[Measure, ...]
    cells: Callable[[bool], tuple[Cell, ...]]
    """The cells; fewer and shorter ones where the argument, `quick`, is True."""
    measure: Callable[[RunRecord], Mapping[str, float]]
    """The values of the measures in one run, all finite; a function of a module, which workers can import."""


@dataclass(frozen=True)
class NotEvaluated:
    """A criterion without an experiment, and the reason."""

    section: str
    title: str
    force: Force
    reason: str


def flow_count(number: int) -> str:
    """A number of flows in words, as "1 flow" and "4 flows"."""
    return f"{number} flow{'s' if number > 1 else ''}"
