"""Guards for continuous integration: thresholds of metrics, and a tolerance around a baseline.

A guard is a condition under which a comparison fails: `bbr3.fairness < 0.9`. It is about the mean over the
seeds; without a label it is about every label.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ackclock.errors import InputError, unknown
from ackclock.measures import metrics
from ackclock.measures.metric_names import in_base_units, named, short
from ackclock.results_folder import read_table

__all__ = ["Guard", "against_baseline", "baseline_summary", "read_guard", "read_tolerance"]

OPERATORS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
CONDITION = re.compile(r"\s*(?:(?P<label>.+)\.)?(?P<metric>[a-z_]+)\s*(?P<sign><=|>=|<|>)\s*(?P<number>.+)")


@dataclass(frozen=True)
class Guard:
    """A condition under which a comparison fails."""

    text: str
    label: str | None
    """The label that it is about; None for every label."""
    metric: metrics.Metric
    sign: str
    threshold: float
    """In the metric's base unit."""

    def check(self, labels: Sequence[str]) -> None:
        """Raises InputError for a label that the comparison does not have."""
        if self.label is not None and self.label not in labels:
            raise unknown("label", self.label, labels)

    def findings(self, summary: pl.DataFrame, labels: Sequence[str]) -> list[str]:
        """A line for each label that fails. Raises InputError for a metric that the runs do not have."""
        self.check(labels)
        found = []
        for label in labels if self.label is None else [self.label]:
            rows = summary.filter((pl.col("label") == label) & (pl.col("metric") == self.metric.key))
            if rows.is_empty():
                raise InputError(f"{self.text}: {label} has no {short(self.metric.key)} in this scenario")
            mean = float(rows["mean"].item())
            if OPERATORS[self.sign](mean, self.threshold):
                # Far from the threshold it has its own unit: 240 Mbit/s, and not 0.2 Gbit/s.
                is_near = abs(mean) >= 0.1 * abs(self.threshold)
                value = displayed(self.metric, mean, *[self.threshold] * is_near)
                found.append(f"{self.text}: {label} has {value}")
        return found


def read_guard(text: str) -> Guard:
    """Reads a condition, as `bbr3.fairness < 0.9` or `timeouts > 0`. Raises InputError."""
    matched = CONDITION.fullmatch(text)
    if matched is None:
        raise InputError(
            f'"{text}": no condition; expected a label, a metric, <, <=, > or >=, and a number, '
            'as "bbr3.fairness < 0.9"'
        )
    metric = named(matched["metric"])
    label = matched["label"]
    return Guard(
        text.strip(),
        label.strip() if label else None,
        metric,
        matched["sign"],
        in_base_units(metric, matched["number"]),
    )


def displayed(metric: metrics.Metric, value: float, *others: float) -> str:
    """A value in the unit of its metric, with as many decimals as distinguish it from the others."""
    largest = max(map(abs, (value, *others)))
    factor, unit = metrics.shown(metric, largest)
    digits = metrics.digits(metric, largest)
    while digits < 9 and any(
        other != value and f"{other * factor:.{digits}f}" == f"{value * factor:.{digits}f}"
        for other in others
    ):
        digits += 1
    return f"{value * factor:.{digits}f}{f' {unit}' if unit else ''}"


def read_tolerance(text: str) -> float:
    """A tolerance as a fraction: `2%`, `2 %` or `0.02`. Raises InputError."""
    bare = text.strip().removesuffix("%").strip()
    try:
        value = float(bare) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise InputError(f'tolerance: found "{text}"; expected a share of at least 0, as "2%"')
    return value


def baseline_summary(folder: Path, *, trust: bool = False) -> pl.DataFrame:
    """The table `summary` of a results folder. Raises InputError for a folder without one.

    `trust` takes one that has changed.
    """
    file = folder / "tables" / "summary.parquet"
    if not file.is_file():
        raise InputError(f"{file}: no table of a comparison: there is no such file")
    table = read_table(folder, "summary", trust=trust)
    columns = ("label", "metric", "n", "mean")
    if missing := [name for name in columns if name not in table.columns]:
        raise InputError(f"{file}: no table of a comparison: it has no column {missing[0]}")
    return table.select(columns)


def against_baseline(
    summary: pl.DataFrame, labels: Sequence[str], baseline: pl.DataFrame, tolerance: float
) -> list[str]:
    """A line for each mean that is farther from the baseline's than `tolerance` times the larger of both.

    All metrics count, in either direction. Raises InputError for a label that the baseline does not have.
    """
    known = baseline["label"].unique(maintain_order=True).to_list()
    found = []
    for label in labels:
        if label not in known:
            raise unknown("label of the baseline", label, known)
        now, before = (
            dict(table.filter(pl.col("label") == label).select("metric", "mean").iter_rows())
            for table in (summary, baseline)
        )
        for metric in metrics.METRICS:
            old, new = before.get(metric.key), now.get(metric.key)
            if old is None and new is None:
                continue
            if old is None or new is None:
                there = "the baseline" if new is None else "this comparison"
                found.append(f"{label}.{short(metric.key)}: only {there} has it")
            elif abs(new - old) > tolerance * max(abs(new), abs(old)):
                change = f" ({(new - old) / old:+.1%})" if old else ""
                values = f"{displayed(metric, new, old)}, was {displayed(metric, old, new)}"
                found.append(f"{label}.{short(metric.key)}: {values}{change}")
    return found
