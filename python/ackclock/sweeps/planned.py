"""The runs of a plan, of which there may be a million: a row each, and a task when one is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import overload

import polars as pl

from ackclock._native import Scenario
from ackclock.errors import InputError, advice
from ackclock.measures import response_vector
from ackclock.measures.transfers import ByClass
from ackclock.runs.tables import TABLES
from ackclock.scenarios.algorithms import Factory, with_algorithm
from ackclock.sweeps import identity
from ackclock.sweeps.plan import Plan, Point
from ackclock.sweeps.shards import Shard
from ackclock.sweeps.store import KEY, is_distinct, places_of, run_key
from ackclock.sweeps.task import Measure, Task

__all__ = ["PlannedRuns", "planned"]


@dataclass(frozen=True)
class Group:
    """The runs of a point with one algorithm, which differ in their seeds."""

    point: Point
    label: str
    prepared: Scenario
    factories: Mapping[str, Factory]


class PlannedRuns(Sequence[Task]):
    """Runs of a plan in its order, as a sequence of their tasks."""

    def __init__(
        self, plan: Plan, measures: tuple[Measure, ...], groups: Sequence[Group], rows: pl.DataFrame
    ) -> None:
        self.plan = plan
        self.measures = measures
        self.groups = groups
        self.rows = rows
        """`run`, the key; `group`, the place of its group; `seed`."""

    def __len__(self) -> int:
        return self.rows.height

    @overload
    def __getitem__(self, place: int) -> Task: ...

    @overload
    def __getitem__(self, place: slice) -> PlannedRuns: ...

    def __getitem__(self, place: int | slice) -> Task | PlannedRuns:
        if isinstance(place, slice):
            return self.of(self.rows[place])
        if not 0 <= place < len(self):
            raise IndexError(place)
        key, number, seed = self.rows.row(place)
        group, plan = self.groups[number], self.plan
        return Task(
            key, group.prepared, seed, group.label, group.factories, plan.bottleneck, plan.keep, self.measures
        )

    def __iter__(self) -> Iterator[Task]:
        return (self[place] for place in range(len(self)))

    def of(self, rows: pl.DataFrame) -> PlannedRuns:
        """Those with these rows."""
        return PlannedRuns(self.plan, self.measures, self.groups, rows)

    def without(self, finished: pl.Series) -> PlannedRuns:
        """Those whose keys are not among these. Points of a design may be equal: their run is made once."""
        rows = self.rows
        if not is_distinct(rows[KEY]):
            rows = rows.unique(KEY, keep="first", maintain_order=True)
        known, _ = places_of(rows[KEY], finished)
        is_missing = pl.repeat(True, rows.height, eager=True).scatter(known.unique(), False)
        return self.of(rows.filter(is_missing))

    def described(self, rows: pl.DataFrame, axes: bool) -> pl.DataFrame:
        """The columns before the results of these rows: `point`, its values with `axes`, `label`, `seed`."""
        facts = pl.DataFrame(
            [
                {"point": each.point.index, **(each.point.values if axes else {}), "label": each.label}
                for each in self.groups
            ],
            schema_overrides={"point": pl.UInt32},
            infer_schema_length=None,
        )
        return facts[rows["group"]].with_columns(rows["seed"])


def planned(plan: Plan, measure: Measure | None, part: Shard, *, trust: bool) -> PlannedRuns:
    """The runs of a part of a plan. Raises InputError for a table that no run has."""
    for name in plan.keep:
        if name not in TABLES:
            raise InputError(f'keep: no table is named "{name}"{advice(name, TABLES)}')
    by_class = None if plan.mice is None else ByClass(plan.mice)
    vector = response_vector.measured if plan.responses else None
    measures = tuple(each for each in (by_class, vector, measure) if each is not None)
    extra = "|".join((plan.bottleneck or "", *plan.keep, *map(identity.of_code, measures)))
    groups, keys = [], []
    for point in plan.points:
        for label, algorithm in plan.algorithms.items():
            prepared, factories = with_algorithm(point.scenario, algorithm, label=label, trust=trust)
            if not (plan.keep or measures):
                prepared = _without_series(prepared)
            code = identity.of_classes(factories)
            groups.append(Group(point, label, prepared, factories))
            seeded = (prepared.with_value("seed", str(seed)) for seed in plan.seeds)
            keys.append(pl.Series(KEY, [run_key(each, label, f"{extra}|{code}") for each in seeded]))
    seeds = pl.Series("seed", plan.seeds, pl.UInt64)
    number = pl.int_range(pl.len(), dtype=pl.UInt32)
    rows = pl.DataFrame({KEY: pl.concat(keys, rechunk=True)}).select(
        KEY, group=number // len(seeds), seed=pl.lit(seeds).gather(number % len(seeds))
    )
    return PlannedRuns(plan, measures, groups, rows[part.number - 1 :: part.of])


def _without_series(scenario: Scenario) -> Scenario:
    """The scenario with one sample of all flows as its only series, since no metric reads series."""
    once = f"{scenario.duration_s!r} s"
    return scenario.with_values(
        [("trace.flows", "false"), ("trace.links", "false"), ("trace.interval", once)]
    )
