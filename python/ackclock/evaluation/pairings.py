"""Pairs of services on one bottleneck: how much of its fair share each gets next to each, as in Prudentia."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ackclock._native import Scenario
from ackclock.errors import InputError
from ackclock.evaluation.evaluate import FULL_SEEDS, QUICK_SEEDS
from ackclock.evaluation.networks import BOTTLENECK, dumbbell
from ackclock.evaluation.plan import EvaluationInterrupted, rows_by_key
from ackclock.evaluation.quantities import delay_quantile
from ackclock.evaluation.services import DEFAULTS, Service, service
from ackclock.measures import censored, users
from ackclock.measures.groups import groups_of
from ackclock.measures.record import RunRecord
from ackclock.measures.statistics import Interval, mean_interval
from ackclock.report.text import counted
from ackclock.runs.parallel import Progress
from ackclock.scenarios.load import load_scenario
from ackclock.scenarios.seeds import refuse_many, seed_numbers
from ackclock.sweeps import identity
from ackclock.sweeps.store import Store, run_key
from ackclock.sweeps.sweep import run_missing
from ackclock.sweeps.task import Task

__all__ = ["BUFFER_BDP", "RATES", "ROUND_TRIP_MS", "Outcome", "Pairings", "fair_share", "pairings"]

RATES = (8.0, 50.0)
"""The bottlenecks in Mbit/s: Prudentia's highly and moderately constrained settings."""
ROUND_TRIP_MS = 50.0
BUFFER_BDP = 4.0
WARM_UP_S = 30
"""Averages leave out the time in which a film fills its buffer."""

PAYLOAD = 1460 / 1500
"""The part of a full packet that is payload."""

FIRST, SECOND = "first", "second"
ALONE = None


@dataclass(frozen=True)
class Outcome:
    """An incumbent next to a contender."""

    share: Interval
    """The incumbent's goodput as a part of its max-min fair share, over seeds."""
    goodput_bit_per_s: float
    """Its goodput; that of a reader is the mean over the time in which a page is incomplete."""
    fair_bit_per_s: float
    """Its max-min fair share."""
    stall_s: float
    """The mean time in which the picture of a film or call stands still; 0 for others."""
    load_s: float
    """The time within which half of the pages load, the mean over seeds; NaN for others."""
    load_alone_s: float
    """The same without a contender."""
    delay_95_s: float
    """The mean of the queueing delay that 95 % of the time does not exceed."""


@dataclass(frozen=True)
class Pairings:
    """Every pair of services."""

    services: tuple[str, ...]
    rates_mbit_per_s: tuple[float, ...]
    quick: bool
    seeds: tuple[int, ...]
    outcomes: Mapping[tuple[float, str, str], Outcome]
    """By rate in Mbit/s, incumbent and contender."""
    scenarios: Mapping[str, Scenario]
    """By name."""
    new_runs: int


@dataclass(frozen=True)
class _Cell:
    rate: float
    first: Service
    second: Service | None

    @property
    def name(self) -> str:
        beside = f" beside {self.second.name}" if self.second else " alone"
        return f"{self.first.name}{beside} at {self.rate:g} Mbit/s"


def fair_share(capacity: float, demand: float, other: float) -> float:
    """The max-min fair share of a service that can use `demand`, next to one that can use `other`."""
    return min(demand, max(capacity / 2, capacity - other))


def measure(result: RunRecord) -> Mapping[str, float]:
    """Goodputs, standstills and load times of the two services, and the queueing delay.

    A service has two goodputs: the mean over the time after the warm-up, which the other cannot have, and its
    own, which it feels. They differ for pages, whose reader waits only part of the time.
    """
    found = {"delay_95_s": delay_quantile(result)}
    for name in (FIRST, SECOND):
        delivered = _delivered_bits(result, name)
        waited, load = _pages(result, name)
        mean = delivered / (result.scenario.duration_s - result.scenario.warm_up_s)
        found |= {
            f"{name}_mean": mean,
            f"{name}_own": delivered / waited if waited > 0 else mean,
            f"{name}_stall": _stalled(result, name),
            f"{name}_load": load,
        }
    return found


def _rows(result: RunRecord, table: str, name: str) -> NDArray[np.intp]:
    """The rows of the table `flows` or `users` that belong to a service."""
    whose = groups_of([str(each) for each in result.columns(table)["name"]], (FIRST, SECOND))
    return np.flatnonzero([each == name for each in whose])


def _values(result: RunRecord, table: str, column: str) -> NDArray[np.float64]:
    return np.asarray(result.columns(table)[column], dtype=np.float64)


def _delivered_bits(result: RunRecord, name: str) -> float:
    """The payload that a service's flows delivered after the warm-up."""
    bits = _values(result, "flows", "goodput_bit_per_s") * _values(result, "flows", "measured_s")
    return float(np.nansum(bits[_rows(result, "flows", name)]))


def _pages(result: RunRecord, name: str) -> tuple[float, float]:
    """The time that a service's readers wait for pages, and the median load time; 0 and NaN without a reader.

    A page that is incomplete at the end counts as longer than until then.
    """
    if "name" not in result.columns("users"):
        return 0.0, math.nan
    mine = _rows(result, "users", name)
    pages = users.records(result).filter(pl.col("user").is_in(mine))
    times = pages["time_s"].to_numpy()
    is_there = np.isfinite(times)
    load = censored.median(times[is_there], pages["until_end_s"].to_numpy()[~is_there])
    return float(_values(result, "users", "waited_s")[mine].sum()), load


def _stalled(result: RunRecord, name: str) -> float:
    """The time in which the pictures of a service stand still."""
    mine = _rows(result, "flows", name)
    total = 0.0
    for table in ("films", "calls"):
        if "stall_s" in result.columns(table):
            stalled = _values(result, table, "stall_s")
            total += float(np.nansum(stalled[np.isin(_values(result, table, "flow"), mine)]))
    return total


def pairings(
    services: Sequence[str] = DEFAULTS,
    *,
    store: str | Path,
    rates_mbit_per_s: Sequence[float] = RATES,
    quick: bool = False,
    seeds: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Pairings:
    """Runs every pair of services, and each alone, at each rate; a service is written `film:cubic`.

    `store` is a folder of finished runs, from which an interrupted command goes on. Raises InputError,
    ScenarioError, OutputError, and EvaluationInterrupted on Ctrl-C.
    """
    each = _services(services)
    rates = tuple(rates_mbit_per_s)
    if not rates or not all(rate > 0 and math.isfinite(rate) for rate in rates):
        raise InputError("rate: expected positive numbers of Mbit/s")
    numbers = seed_numbers(seeds if seeds is not None else QUICK_SEEDS if quick else FULL_SEEDS)
    refuse_many(rates=len(rates), pairs=len(each) * (len(each) + 3) // 2, seeds=len(numbers))
    pairs = [*itertools.combinations_with_replacement(each, 2), *((one, ALONE) for one in each)]
    cells = [_Cell(rate, first, second) for rate in rates for first, second in pairs]
    scenarios = {cell: load_scenario(_table(cell, quick=quick)) for cell in cells}
    tasks = {(cell, seed): _task(cell, scenarios[cell], seed) for seed in numbers for cell in cells}
    opened = Store(Path(store))
    interrupted, new_runs = run_missing(list(tasks.values()), opened, workers, None, progress)
    if interrupted:
        raise EvaluationInterrupted(f"interrupted after {counted(len(opened.keys()), 'run')}")
    found = rows_by_key(opened)
    rows = {cell: [found[tasks[cell, seed].key] for seed in numbers] for cell in cells}
    return Pairings(
        tuple(one.name for one in each),
        rates,
        quick,
        tuple(numbers),
        _outcomes(cells, rows),
        {cell.name: scenario for cell, scenario in scenarios.items()},
        new_runs,
    )


def _services(names: Sequence[str]) -> list[Service]:
    each = [service(name) for name in names]
    if not each:
        raise InputError("pairings take at least one service, as in: film:cubic bulk:bbr1")
    if len(set(each)) < len(each):
        raise InputError("pairings: a service is named twice; each meets its own kind anyway")
    return each


def _table(cell: _Cell, *, quick: bool) -> Mapping[str, object]:
    groups: dict[str, list[Mapping[str, object]]] = {"flow": [], "call": []}
    for name, one in ((FIRST, cell.first), (SECOND, cell.second)):
        for key, found in one.groups(name).items() if one else ():
            groups[key] += found
    seconds = 90 if quick else 300
    table = dumbbell(
        cell.rate,
        ROUND_TRIP_MS,
        BUFFER_BDP,
        groups["flow"] or groups["call"],
        seconds=seconds,
        warm_up_s=WARM_UP_S,
    )
    topology = dumbbell(cell.rate, ROUND_TRIP_MS, BUFFER_BDP, groups["flow"] + groups["call"])["topology"]
    used = {key: found for key, found in groups.items() if found}
    return {**table, "flow": [], **used, "topology": topology, "title": cell.name}


def _task(cell: _Cell, scenario: Scenario, seed: int) -> Task:
    said = f"pairings|{identity.of_code(measure)}"
    key = run_key(scenario.with_value("seed", str(seed)), cell.name, said)
    return Task(key, scenario, seed, cell.name, {}, BOTTLENECK, (), (measure,))


def _outcomes(
    cells: Sequence[_Cell], rows: Mapping[_Cell, Sequence[Mapping[str, float]]]
) -> dict[tuple[float, str, str], Outcome]:
    def mean(cell: _Cell, column: str) -> float:
        return math.fsum(float(row[column]) for row in rows[cell]) / len(rows[cell])

    alone = {(cell.rate, cell.first): cell for cell in cells if cell.second is ALONE}
    outcomes = {}
    for cell in cells:
        if cell.second is None:
            continue
        for name, mine, other in ((FIRST, cell.first, cell.second), (SECOND, cell.second, cell.first)):
            if name == SECOND and mine == other:
                continue
            # Of two of a kind both count.
            names = (FIRST, SECOND) if mine == other else (name,)
            own = mean(alone[cell.rate, mine], f"{FIRST}_own")
            theirs = mean(alone[cell.rate, other], f"{FIRST}_mean")
            fair = fair_share(cell.rate * 1e6 * PAYLOAD, own, theirs)
            goods = [float(np.mean([float(row[f"{of}_own"]) for of in names])) for row in rows[cell]]
            outcomes[cell.rate, mine.name, other.name] = Outcome(
                mean_interval([good / fair for good in goods], 0.95),
                math.fsum(goods) / len(goods),
                fair,
                float(np.mean([mean(cell, f"{of}_stall") for of in names])),
                float(np.mean([mean(cell, f"{of}_load") for of in names])),
                mean(alone[cell.rate, mine], f"{FIRST}_load"),
                mean(cell, "delay_95_s"),
            )
    return outcomes
