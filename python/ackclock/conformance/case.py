"""Specifications and their cases: a statement, a scenario that tests it, and the rule that judges the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ackclock.conformance.qlog import Log
    from ackclock.conformance.trace import Trace
    from ackclock.measures.verdict import Verdict

__all__ = ["Case", "Gauge", "Law", "Observe", "Settings", "Specification"]

Settings = Mapping[str, object]
Observe = Callable[["Trace"], Iterable["Verdict"]]


@dataclass(frozen=True)
class Gauge:
    """An internal quantity of an algorithm by the name under which `observe()` offers it."""

    name: str
    unit: str
    """Empty for a number without unit."""
    meaning: str
    values: tuple[str, ...] = ()
    """The names of its values from 0 on, where they are states."""


@dataclass(frozen=True)
class Law:
    """The part of a statement that holds on every path, whatever the scenario of its case."""

    rule: str
    """The rule that decides on any path, with its tolerances and their reasons."""
    observe: Observe
    """The verdicts on the run of a path; none if the path never shows it."""


@dataclass(frozen=True)
class Case:
    """One statement of a specification, and how it is tested."""

    section: str
    """The place in the document."""
    title: str
    statement: str
    """The required behaviour, in our own words."""
    scenario: Settings
    """The scenario that tests it; the algorithm under test takes the place of `tcp.algorithm`."""
    rule: str
    """The rule that decides, with its tolerances."""
    why: str
    """The reason for the tolerances, and for the choices that the document leaves open."""
    observe: Observe
    """The verdicts on a run. It may read gauges."""
    outside: Observe | None = None
    """The verdicts on the run of an algorithm that lacks a gauge: from window, rate and flight alone."""
    on_log: Callable[[Log], Iterable[Verdict]] | None = None
    """The verdicts on the log of a stack, without a simulation; None if a log cannot show it."""
    then: Callable[[Trace], Settings | None] | None = None
    """The settings of a second run, which differ from the first from some moment on; None if that moment
    never came. The two runs are equal until then, and the second is judged."""
    needs_retransmission_timer: bool = False
    """True for a statement about TCP's retransmission timer, which QUIC's loss detection does not have."""
    law: Law | None = None
    """The law that `ackclock attack --break` seeks to break; None for a statement about a setting."""
    shown: tuple[str, ...] = ()
    """The series and gauges that the figure shows."""
    number: int = 1000
    """The place in the list of cases."""
    key: str = ""
    """The name of its file, with hyphens."""


@dataclass(frozen=True)
class Specification:
    """A document that says what an algorithm must do, and its cases."""

    title: str
    source: str
    """The document with its version or date."""
    algorithms: tuple[str, ...]
    """The names of the registry that it specifies.

    Of the specifications that name an algorithm, the one that names it earliest is its own.
    """
    gauges: tuple[Gauge, ...] = ()
    """The internal quantities that its cases read, and that the first of its algorithms offers."""
    parameters: Mapping[str, float] = field(default_factory=dict)
    """The parameters that its cases give to these algorithms, where a user gives none."""
    key: str = ""
    """The name of its folder."""
    cases: tuple[Case, ...] = ()
    """All cases in their order."""
