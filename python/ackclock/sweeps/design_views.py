"""The tables of a designed experiment: its generators and aliases, and the effects of its factors."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING

import polars as pl

from ackclock.errors import InputError
from ackclock.measures import metrics
from ackclock.measures.digits import with_interval
from ackclock.report.tables import Cell, View
from ackclock.report.text import counted
from ackclock.sweeps import design as designs
from ackclock.sweeps import effects as analysis
from ackclock.sweeps import responses
from ackclock.sweeps.figures import described

if TYPE_CHECKING:
    from ackclock.sweeps.plan import Plan
    from ackclock.sweeps.record import SweepRecord

__all__ = ["design_view", "effects_view", "said", "tables"]

MOST_ALIASES = 60
"""The most letters of a list of aliases in a table; tables/effects.parquet has all."""


def said(plan: Plan) -> str:
    """The design in a sentence: kind, runs, resolution and generators, or samples and seed."""
    design = plan.design
    if design is None:
        return "every combination of the axes"
    kind = design.kind.replace("-", " ")
    if not design.is_two_level:
        ranges = counted(len(plan.ranges), "range")
        return f"{kind}, {counted(design.samples, 'sample')} of {ranges}, seed {design.seed}"
    factors = len(plan.axes)
    if design.kind != "fractional-factorial":
        return f"{kind}, {counted(factors, 'factor')} in {counted(len(plan.points), 'point')}"
    words = designs.generated(design, factors)
    base = factors - len(words)
    resolution = designs.resolution_of([word for _, word in words], base)
    letters = designs.LETTERS
    generators = ", ".join(
        f"{letters[base + place]} = {sign}{''.join(letters[each] for each in sorted(word))}"
        for place, (sign, word) in enumerate(words)
    )
    roman = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X")
    number = roman[resolution] if resolution < len(roman) else str(resolution)
    head = f"2^({factors}-{len(words)}) {kind} of resolution {number}"
    return f"{head}: {generators}" if generators else head


def design_view(plan: Plan) -> View:
    """The factors by their letters: name, low and high level or range."""
    if plan.design is not None and plan.design.is_two_level:
        rows = [
            (f"{letter}: {axis.name}", str(axis.values[0][0]), str(axis.values[1][0]))
            for letter, axis in zip(designs.LETTERS, plan.axes, strict=False)
        ]
    else:
        rows = [(each.name, str(each.value(0)), str(each.value(1))) for each in plan.ranges]
    cells = tuple(tuple(Cell(text) for text in row) for row in rows)
    return View("Factors", (("Factor", ""), ("Low", ""), ("High", "")), cells, said(plan))


def effects_view(sweep: SweepRecord, key: str) -> View | None:
    """The effects on a metric: a row per term, a column per algorithm.

    None unless the design has two levels.
    """
    design = sweep.plan.design
    if design is None or not design.is_two_level:
        return None
    table = analysis.effects(sweep, key)
    if table.is_empty():
        return None
    largest = float(table["effect"].abs().max() or 0)  # type: ignore[arg-type]
    title, unit, factor = described(key, largest)
    digits = metrics.digits(metrics.metric(key), largest) if key in metrics.KEYS else 3
    labels = table["label"].unique(maintain_order=True).to_list()
    titles = sweep.plan.titles
    by_term = {(row["term"], row["label"]): row for row in table.iter_rows(named=True)}
    rows = []
    for term, factors, aliases in (
        table.select("term", "factors", "aliases").unique(maintain_order=True).iter_rows()
    ):
        named = " × ".join(titles[name] for name in factors.split(" × "))
        shown = f" (= {aliases})" if aliases else ""
        shown = shown if len(shown) <= MOST_ALIASES else f"{shown[: MOST_ALIASES - 2]}…)"
        cells = []
        for label in labels:
            row = by_term[term, label]
            half = (row["high"] - row["low"]) / 2 * factor
            text = with_interval(row["effect"] * factor, half if half > 0 else math.nan, digits)
            cells.append(Cell(text, is_decided=row["is_decided"]))
        rows.append((Cell(f"{term}: {named}{shown}"), *cells))
    columns = (("Effect", ""), *((label, unit) for label in labels))
    seeds = int(table["n"].max())  # type: ignore[arg-type]
    source = f"over {seeds} seeds" if seeds > 1 else "by Lenth's margin"
    single = table.filter(pl.col("n") == 1)["label"].unique(maintain_order=True).to_list()
    if single and len(sweep.plan.seeds) > 1:
        whose = "" if seeds == 1 else f", for {', '.join(single)} by Lenth's margin"
        source += f"{whose} (all seeds agree, for nothing is random)"
    note = f"High less low level, ± half of the 95 % interval {source}; bold: sign decided."
    return View(f"Effects on {title.lower()}", columns, tuple(rows), note)


def tables(sweep: SweepRecord) -> dict[str, pl.DataFrame]:
    """The tables of a design's analysis in its folder: for every metric, and for all metrics together."""
    design = sweep.plan.design
    if design is None:
        return {}
    keys = sweep.summary["metric"].unique(maintain_order=True).to_list()
    found: dict[str, list[pl.DataFrame]] = {}
    if design.is_two_level:
        found["effects"] = [analysis.effects(sweep, key) for key in keys]
    if design.kind == "saltelli":
        found["sobol_indices"] = [analysis.sobol_indices(sweep, key) for key in keys]
    kept = {name: [part for part in parts if not part.is_empty()] for name, parts in found.items()}
    return {name: pl.concat(parts) for name, parts in kept.items() if parts} | _of_responses(sweep)


def _of_responses(sweep: SweepRecord) -> dict[str, pl.DataFrame]:
    """Correlation, principal components and clusters, if there are enough responses and algorithms."""
    found = {}
    with suppress(InputError):
        components = responses.principal_components(sweep)
        found = {
            "correlation": responses.correlation(sweep),
            "components": components.explained,
            "loadings": components.loadings,
            "scores": components.scores,
        }
        found["clusters"] = responses.clusters(sweep)
    return found
