"""Verdicts on the expectations of calls: bounds of measures, with their intervals over seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from ackclock.evaluation.criterion import Cell, Measure
from ackclock.evaluation.plan import Measured
from ackclock.evaluation.rmcat.case import Case, Expectation
from ackclock.measures.digits import number, with_interval
from ackclock.measures.statistics import Interval, mean_interval

__all__ = ["FAILS", "HOLDS", "NO_BOUND", "UNDECIDED", "VERDICTS", "Found", "JudgedCase", "judge"]

NO_BOUND, HOLDS, UNDECIDED, FAILS = VERDICTS = ("no bound", "holds", "undecided", "fails")
"""From the best to the worst. Undecided is a bound within the interval over seeds."""


@dataclass(frozen=True)
class Found:
    """An expectation in one cell, with the value measured."""

    expectation: Expectation
    cell: Cell
    measure: Measure
    value: Interval
    """In base units; a quotient where the expectation is relative."""
    verdict: str

    @property
    def bounds(self) -> str:
        """The bounds in words, as "at least 0.70"."""
        low, high = (self._shown(bound) for bound in (self.expectation.low, self.expectation.high))
        if math.isinf(self.expectation.low):
            return f"at most {high}"
        return f"at least {low}" if math.isinf(self.expectation.high) else f"{low} to {high}"

    @property
    def words(self) -> str:
        """The value measured, with its interval and bounds."""
        half = self.value.half_width
        if self.expectation.relative_to:
            shown = (
                f"{with_interval(self.value.estimate, half, 2)} times that of {self.expectation.relative_to}"
            )
        else:
            factor = self.measure.factor
            shown = with_interval(self.value.estimate * factor, half * factor, self.measure.digits)
            shown = f"{shown} {self.measure.unit}".strip()
        whose = "the RFC's bound" if self.expectation.stated else "our bound"
        return f"{self.measure.title} {shown}; {whose}: {self.bounds}"

    def _shown(self, bound: float) -> str:
        if self.expectation.relative_to:
            return f"{number(bound, 2)} times"
        return f"{number(bound * self.measure.factor, self.measure.digits)} {self.measure.unit}".strip()


@dataclass(frozen=True)
class JudgedCase(Measured):
    """A case with what was found of each of its expectations in each of their cells."""

    found: tuple[Found, ...]

    @property
    def case(self) -> Case:
        """The case."""
        return cast("Case", self.criterion)

    @property
    def verdict(self) -> str:
        """The worst of its expectations."""
        return VERDICTS[max((VERDICTS.index(each.verdict) for each in self.found), default=0)]

    def of(self, cell: Cell) -> str:
        """The worst of its expectations in one cell."""
        places = [VERDICTS.index(each.verdict) for each in self.found if each.cell.name == cell.name]
        return VERDICTS[max(places, default=0)]


def judge(measured: Measured, label: str) -> JudgedCase:
    """The verdicts on the expectations of a measured case, for one algorithm."""
    case = cast("Case", measured.criterion)
    measures = {measure.key: measure for measure in case.measures}
    found = []
    for expectation in case.expectations:
        for cell in measured.cells:
            if not expectation.cells or cell.name in expectation.cells:
                value = mean_interval(_values(measured, expectation, cell, label))
                verdict = _verdict(value, expectation)
                found.append(Found(expectation, cell, measures[expectation.measure], value, verdict))
    return JudgedCase(measured.criterion, measured.cells, measured.values, tuple(found))


def _values(measured: Measured, expectation: Expectation, cell: Cell, label: str) -> Sequence[float]:
    key, by_seed = expectation.measure, measured.values[cell.name, label]
    if not expectation.relative_to:
        return [values[key] for values in by_seed.values()]
    reference = measured.values[expectation.relative_to, label]
    return [values[key] / max(reference[seed][key], 1e-9) for seed, values in by_seed.items()]


def _verdict(value: Interval, expectation: Expectation) -> str:
    """Holds or fails if the whole interval does; of one seed, its value."""
    low, high = (value.low, value.high) if math.isfinite(value.low) else (value.estimate, value.estimate)
    if expectation.low <= low and high <= expectation.high:
        return HOLDS
    return FAILS if high < expectation.low or low > expectation.high else UNDECIDED
