"""The effects of a design's factors: main effects and interactions of two levels, Sobol' indices."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from ackclock.errors import InputError
from ackclock.measures import statistics
from ackclock.sweeps.design import LETTERS

if TYPE_CHECKING:
    from ackclock.sweeps.plan import Plan
    from ackclock.sweeps.record import SweepRecord

__all__ = ["Term", "coded_levels", "effects", "pseudo_error", "sobol_indices", "terms"]

Floats = NDArray[np.float64]

LEAST_SEEDS = 2
RESAMPLES = 200


@dataclass(frozen=True)
class Term:
    """A contrast of a design, and the effects that it does not separate."""

    names: tuple[str, ...]
    """The factors by letters: a main effect "A" or an interaction "AB", and after it its aliases."""
    contrast: Floats
    """-1 or 1 for each point."""

    @property
    def name(self) -> str:
        """The effect to which the contrast is attributed: the first of its aliases."""
        return self.names[0]


def coded_levels(plan: Plan) -> Floats:
    """A two-level design that was run: -1 for the first value of an axis, 1 for the second."""
    return np.array(
        [
            [-1.0 if point.values[axis.name] == axis.values[0][0] else 1.0 for axis in plan.axes]
            for point in plan.points
        ]
    )


def terms(plan: Plan) -> list[Term]:
    """Main effects and interactions of two factors, with their aliases.

    Interactions of three factors and more are assumed to be zero, and so are all interactions in a
    Plackett-Burman design, which spreads them over every main effect. Raises InputError unless the design has
    two levels.
    """
    if plan.design is None or not plan.design.is_two_level:
        raise InputError("effects: expected a design of two levels; `sobol_indices` are for sampled ranges")
    levels = coded_levels(plan)
    columns = [(LETTERS[place], levels[:, place]) for place in range(levels.shape[1])]
    if plan.design.kind != "plackett-burman":
        pairs = itertools.combinations(columns, 2)
        columns += [(first + second, one * other) for (first, one), (second, other) in pairs]
    found: list[tuple[list[str], Floats]] = []
    for name, column in columns:
        for names, contrast in found:
            alike = float(contrast @ column) / column.size
            if abs(alike) == 1:
                names.append(name if alike > 0 else f"-{name}")
                break
        else:
            found.append(([name], column))
    return [Term(tuple(names), contrast) for names, contrast in found]


SCHEMA = {
    "label": pl.String, "metric": pl.String, "term": pl.String, "factors": pl.String, "aliases": pl.String,
    "effect": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.UInt32, "is_decided": pl.Boolean,
}  # fmt: skip


def effects(sweep: SweepRecord, metric: str) -> pl.DataFrame:
    """A row per algorithm and term: the mean at the high level less that at the low one, in base units.

    With several seeds the effect is computed for each, since points share their random traffic, and `low` and
    `high` are Student's 95 % interval over the n seeds. With one seed, or where all seeds agree because
    nothing is random, n is 1 and they are Lenth's margin of error, which takes most effects for noise.
    `is_decided` is true if zero lies outside an interval that is widened for the number of terms
    (Bonferroni). Runs that lack the metric leave out their seed.
    """
    described = terms(sweep.plan)
    by_letter = {LETTERS[place]: axis.name for place, axis in enumerate(sweep.plan.axes)}
    rows = []
    for label in sweep.plan.algorithms:
        seeds = _responses(sweep, label, metric)
        if not seeds:
            continue
        contrasts = np.array([term.contrast for term in described])
        # Seeds that agree to the last digit are one observation: nothing is random.
        distinct = seeds if np.ptp(seeds, axis=0).any() else seeds[:1]
        found = 2 / contrasts.shape[1] * contrasts @ np.array(distinct).T  # a row per term, a column per seed
        intervals = _intervals(found)
        for term, (interval, decided) in zip(described, intervals, strict=True):
            rows.append(
                {
                    "label": label,
                    "metric": metric,
                    "term": term.name,
                    "factors": " × ".join(by_letter[letter] for letter in term.name),
                    "aliases": " = ".join(term.names[1:]),
                    "effect": interval.estimate,
                    "low": interval.low,
                    "high": interval.high,
                    "n": len(distinct),
                    "is_decided": decided,
                }
            )
    return pl.DataFrame(rows, schema=SCHEMA)


def _responses(sweep: SweepRecord, label: str, metric: str) -> list[list[float]]:
    """The metric at every point, for each seed that has it at all of them."""
    mine = sweep.runs.filter(pl.col("label") == label).sort("point")
    found = []
    for _, rows in mine.group_by("seed", maintain_order=True):
        values = rows[metric].to_list() if metric in rows.columns else []
        if len(values) == len(sweep.plan.points) and all(
            value is not None and math.isfinite(value) for value in values
        ):
            found.append(values)
    return found


def _intervals(found: Floats) -> list[tuple[statistics.Interval, bool]]:
    """The interval of each term, and whether it is decided among all of them."""
    number, seeds = found.shape
    together = 1 - (1 - 0.95) / number
    if seeds >= LEAST_SEEDS:
        return [
            (statistics.mean_interval(row), statistics.mean_interval(row, together).excludes_zero)
            for row in found
        ]
    effects_found = found[:, 0]
    margin, wide = (lenth_margin(effects_found, confidence) for confidence in (0.95, together))
    return [
        (statistics.Interval(effect, effect - margin, effect + margin, 1), abs(effect) > wide)
        for effect in effects_found.tolist()
    ]


def lenth_margin(effects_found: Sequence[float] | Floats, confidence: float) -> float:
    """Lenth's margin of error of the effects of a design without replicates (Technometrics 31, 1989)."""
    degrees = len(effects_found) / 3
    return float(scipy.special.stdtrit(degrees, (1 + confidence) / 2)) * pseudo_error(effects_found)


def pseudo_error(effects_found: Sequence[float] | Floats) -> float:
    """Lenth's pseudo standard error: that of an effect, if most effects are noise."""
    sizes = np.abs(np.asarray(effects_found))
    first = 1.5 * float(np.median(sizes))
    return 1.5 * float(np.median(sizes[sizes < 2.5 * first])) if first else 0.0


def sobol_indices(sweep: SweepRecord, metric: str) -> pl.DataFrame:
    """A row per algorithm and range: first-order and total Sobol' indices with 95 % bootstrap intervals.

    The metric is its mean over seeds. If the samples of A and B are all equal, there is no variance to share,
    and no row. If resamples have no variance, the bounds are NaN. Raises InputError unless the design is
    Saltelli's.
    """
    plan = sweep.plan
    if plan.design is None or plan.design.kind != "saltelli":
        raise InputError('sobol_indices: expected a plan with design.kind = "saltelli"')
    if len(plan.points) != plan.design.samples * (len(plan.ranges) + 2):
        raise InputError("sobol_indices: expected a plan with no axes but the ranges")
    rows = []
    for label in plan.algorithms:
        seeds = _responses(sweep, label, metric)
        if not seeds:
            continue
        values = np.mean(np.array(seeds), axis=0).reshape(len(plan.ranges) + 2, plan.design.samples)
        if np.ptp(values[:2]) == 0:
            continue
        parts: Any = {"f_A": values[None, 0], "f_B": values[None, 1], "f_AB": values[2:, None]}
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            # Few samples, or a metric with few values: some resamples have no variance.
            warnings.simplefilter("ignore")
            found: Any = scipy.stats.sobol_indices(func=parts, n=plan.design.samples)
            spread = found.bootstrap(confidence_level=0.95, n_resamples=RESAMPLES)
        for place, each in enumerate(plan.ranges):
            rows.append(
                {
                    "label": label,
                    "metric": metric,
                    "factor": each.name,
                    "first_order": float(found.first_order[place]),
                    "first_order_low": float(spread.first_order.confidence_interval.low[place]),
                    "first_order_high": float(spread.first_order.confidence_interval.high[place]),
                    "total_order": float(found.total_order[place]),
                    "total_order_low": float(spread.total_order.confidence_interval.low[place]),
                    "total_order_high": float(spread.total_order.confidence_interval.high[place]),
                }
            )
    return pl.DataFrame(rows, infer_schema_length=None)
