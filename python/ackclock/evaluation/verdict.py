"""Classes of a criterion: the contender against the standards in its place, seed by seed.

RFC 9743 has no thresholds. These are our own, and a file `evaluation.toml` may set others. Every report
states them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from ackclock.errors import InputError, advice, unreadable
from ackclock.evaluation.criterion import Cell, Measure
from ackclock.measures.statistics import Interval, mean_interval
from ackclock.toml_reader import NotToml, read_toml

__all__ = [
    "BETTER",
    "CLASSES",
    "MUCH_WORSE",
    "SAME",
    "WORSE",
    "Thresholds",
    "classify",
    "cost",
    "load_thresholds",
]

BETTER, SAME, WORSE, MUCH_WORSE = CLASSES = ("better", "no different", "worse", "much worse")

Rows = Mapping[tuple[str, str], Mapping[int, Mapping[str, float]]]
"""Values of the measures by the cell's name and the label, by seed."""


@dataclass(frozen=True)
class Thresholds:
    """The quotients at which a class begins; each is above 1."""

    different: float = 1.1
    """Less than a tenth is no difference: a change of a parameter of the standard would make as much."""
    much: float = 2.0
    """More than twice the loss, delay or completion time of the standard, or less than half its goodput."""
    confidence: float = 0.95
    """The confidence of intervals. A difference whose interval contains zero is no difference."""


def load_thresholds(path: Path | None) -> Thresholds:
    """The thresholds of a file `evaluation.toml`, whose keys are the fields; the defaults without one."""
    if path is None:
        return Thresholds()
    try:
        document = read_toml(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise unreadable(path, error) from None
    except (UnicodeDecodeError, NotToml) as error:
        raise InputError(f"{path}: cannot be read as TOML: {error}") from None
    known = [field.name for field in fields(Thresholds)]
    for key, value in document.items():
        if key not in known:
            raise InputError(f"{path}: {key}: unknown key{advice(key, known)}")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{path}: {key}: found {value!r}; expected a number")
    found = Thresholds(**{key: float(value) for key, value in document.items()})
    if not 1 < found.different <= found.much:
        pair = f"{found.different:g} and {found.much:g}"
        raise InputError(f"{path}: different, much: found {pair}; expected 1 < different <= much")
    if not 0.5 <= found.confidence < 1:
        raise InputError(f"{path}: confidence: found {found.confidence:g}; expected 0.5 to less than 1")
    return found


def cost(measure: Measure, value: float, standard: float) -> float:
    """The natural logarithm of how many times worse a value is than the standard's; 0 for no difference."""
    quotient = (value + measure.floor) / (standard + measure.floor)
    return math.log(quotient) if measure.better == "lower" else -math.log(quotient)


@dataclass(frozen=True)
class Compared:
    """A contender against the standards, in one cell or over all cells of a criterion."""

    verdict: str
    times_worse: Interval
    """The cost as a multiple of that of the nearer standard, which decides; below 1 for better."""
    standard: str = ""
    """The name of that standard; several where cells have different ones."""
    is_between: bool = False
    """True where one standard's cost is lower with certainty and the other's higher."""

    def is_inconclusive(self, thresholds: Thresholds) -> bool:
        """True where the interval holds both no difference and one that would count."""
        low, high = self.times_worse.low, self.times_worse.high
        different = thresholds.different
        return self.verdict == SAME and low <= 1 <= high and (high >= different or low <= 1 / different)


def classify(
    cells: Sequence[Cell], measures: Sequence[Measure], rows: Rows, label: str, thresholds: Thresholds
) -> Compared:
    """The class of a contender over these cells.

    The cost is the mean over cells and measures of `cost`, for each seed. "Better" is better than every
    standard, and "worse" is worse than every standard: a cost between two standards is no different.
    """
    against = [_interval(cells, measures, rows, label, place, thresholds) for place in range(_most(cells))]
    best_standard = max(against, key=lambda interval: interval.estimate)
    worst_standard = min(against, key=lambda interval: interval.estimate)

    def compared(verdict: str, decides: Interval, *, is_between: bool = False) -> Compared:
        place = next(place for place, interval in enumerate(against) if interval is decides)
        names = dict.fromkeys(_standard(cell, place) for cell in cells)
        return Compared(verdict, _times(decides), " or ".join(names), is_between)

    if worst_standard.low > 0 and worst_standard.estimate > math.log(thresholds.different):
        much = worst_standard.estimate > math.log(thresholds.much)
        return compared(MUCH_WORSE if much else WORSE, worst_standard)
    if best_standard.high < 0 and best_standard.estimate < -math.log(thresholds.different):
        return compared(BETTER, best_standard)
    closest = min(against, key=lambda interval: abs(interval.estimate))
    return compared(SAME, closest, is_between=worst_standard.high < 0 < best_standard.low)


def _standard(cell: Cell, place: int) -> str:
    return cell.standards[min(place, len(cell.standards) - 1)]


def _most(cells: Sequence[Cell]) -> int:
    return max(len(cell.standards) for cell in cells)


def _interval(
    cells: Sequence[Cell],
    measures: Sequence[Measure],
    rows: Rows,
    label: str,
    place: int,
    thresholds: Thresholds,
) -> Interval:
    """The mean cost against the standard with this index in each cell, with its interval over seeds."""
    by_seed: dict[int, list[float]] = {}
    for cell in cells:
        standard = rows[cell.name, _standard(cell, place)]
        for seed, values in rows[cell.name, label].items():
            by_seed.setdefault(seed, []).extend(
                cost(measure, values[measure.key], standard[seed][measure.key]) for measure in measures
            )
    means = [float(np.mean(costs)) for costs in by_seed.values()]
    interval = mean_interval(means, thresholds.confidence)
    if math.isnan(interval.low):  # one seed: the sign is not certain
        return Interval(interval.estimate, -math.inf, math.inf, 1, interval.confidence)
    return interval


def _times(interval: Interval) -> Interval:
    low, high = math.exp(interval.low), math.exp(min(interval.high, 700.0))
    return Interval(math.exp(interval.estimate), low, high, interval.n, interval.confidence)
