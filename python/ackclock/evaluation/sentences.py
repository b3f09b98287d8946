"""The outcome of a criterion in one computed sentence."""

from __future__ import annotations

import math

from ackclock.evaluation.criterion import Cell, Measure
from ackclock.evaluation.evaluate import Judged
from ackclock.evaluation.plan import Measured
from ackclock.evaluation.verdict import BETTER, MUCH_WORSE, SAME, WORSE, Thresholds, cost
from ackclock.measures.digits import number
from ackclock.measures.statistics import Interval, mean_interval

__all__ = ["compared", "mean_of", "sentence", "shown", "times_text", "worst", "worst_cell"]


def mean_of(judged: Measured, cell: Cell, label: str, measure: Measure) -> Interval:
    """The mean of a measure over seeds, in base units."""
    return mean_interval([values[measure.key] for values in judged.values[cell.name, label].values()])


def shown(measure: Measure, value: float, more: int = 0) -> str:
    """A value with its unit, with this many more digits than usual."""
    return f"{number(value * measure.factor, measure.digits + more)} {measure.unit}".strip()


def times_text(interval: Interval) -> str:
    """The number of times worse, with its interval if several seeds give one."""
    text = f"{interval.estimate:.2f}"
    if math.isfinite(interval.low) and interval.low > 0 and interval.high < 1e6 and interval.n > 1:
        return f"{text} [{interval.low:.2f}, {interval.high:.2f}]"
    return text


def worst_cell(judged: Judged, label: str) -> tuple[Cell, Measure, str]:
    """The cell and measure with the highest mean cost against its best standard there, and that standard."""
    found: list[tuple[float, int, Cell, Measure, str]] = []
    for cell in judged.cells:
        for measure in judged.criterion.measures:
            own = mean_of(judged, cell, label, measure).estimate
            for standard in cell.standards:
                if standard != label or cell.standards == (label,):
                    other = mean_of(judged, cell, standard, measure).estimate
                    found.append((cost(measure, own, other), -len(found), cell, measure, standard))
    _, _, cell, measure, standard = max(found, key=lambda entry: entry[:2])
    return cell, measure, standard


_WORDS = {
    BETTER: "better than the standards",
    SAME: "no different from the standards",
    WORSE: "worse than the standards",
    MUCH_WORSE: "much worse than the standards",
}


def sentence(judged: Judged, label: str, thresholds: Thresholds) -> str:
    """The class with its quotient and the standard of that, and the cell that is worst."""
    whole = judged.whole
    words = _WORDS[whole.verdict]
    if whole.is_between:
        words = "between the standards, thus no different"
    elif whole.is_inconclusive(thresholds):
        words = "no different from the standards, but the interval is inconclusive"
    text = f"{label} is {words}: {times_text(whole.times_worse)} times the cost of {whole.standard}."
    return f"{text} {worst(judged, label)}".strip()


def worst(judged: Judged, label: str) -> str:
    """The setting that is worst compared with a standard, with both values; empty for the standard itself."""
    cell, measure, standard = worst_cell(judged, label)
    if standard == label:
        return ""
    own, other = (mean_of(judged, cell, name, measure).estimate for name in (label, standard))
    return compared(cell.name, measure, standard, own, other)


def compared(setting: str, measure: Measure, standard: str, own: float, other: float) -> str:
    """The value of a measure in a setting, with a standard's."""
    found = f"{measure.title} {shown(measure, own)}"
    if shown(measure, own) == shown(measure, other):
        return f"Nowhere worse; as good as {standard} with {setting}: {found}."
    where = "Worst" if cost(measure, own, other) > 0 else "Least good"
    return f"{where} with {setting}: {found}, {standard} {shown(measure, other)}."
