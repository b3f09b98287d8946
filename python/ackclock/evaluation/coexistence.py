"""Coexistence: every algorithm as incumbent and as newcomer with every other on one bottleneck."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ackclock._native import Scenario
from ackclock.arguments import checked
from ackclock.errors import InputError
from ackclock.evaluation.criterion import Measure
from ackclock.evaluation.evaluate import FULL_SEEDS, QUICK_SEEDS
from ackclock.evaluation.harm import Harm, harm
from ackclock.evaluation.networks import BOTTLENECK, dumbbell, flows
from ackclock.evaluation.plan import EvaluationInterrupted, rows_by_key
from ackclock.evaluation.quantities import DELAY_95, LOSS, delay_quantile, goodputs, loss_of
from ackclock.evaluation.verdict import Thresholds
from ackclock.measures.record import RunRecord
from ackclock.measures.statistics import Interval, mean_interval
from ackclock.report.text import counted
from ackclock.runs.parallel import Progress
from ackclock.scenarios.algorithms import Factory, class_name, recovery_of, referred, with_algorithm
from ackclock.scenarios.load import load_scenario
from ackclock.scenarios.seeds import refuse_many, seed_numbers
from ackclock.sweeps import identity
from ackclock.sweeps.store import Store, run_key
from ackclock.sweeps.sweep import run_missing
from ackclock.sweeps.task import Task

__all__ = [
    "GOODPUT",
    "HARMS",
    "NEWCOMERS_START_S",
    "SHARE",
    "WARM_UP_S",
    "Coexistence",
    "Pair",
    "Setting",
    "coexist",
]

INCUMBENT, NEWCOMER = "incumbent", "newcomer"

ALONE = ""
"""The newcomer's name in the runs in which the incumbents have the link for themselves."""

NEWCOMERS_START_S = 5
WARM_UP_S = 20
"""Averages leave out the newcomers' start-up."""

SHARE = Measure("share", "incumbents' share of the goodput", "%", 100, 1, "higher", 0.0)
GOODPUT = Measure("goodput", "goodput of an incumbent", "Mbit/s", 1e-6, 2, "higher", 1e4)
OWN_LOSS = Measure("loss", "packets that incumbents lose", "%", 100, 2, "lower", LOSS.floor)

HARMS = (GOODPUT, DELAY_95, OWN_LOSS)
"""The measures of harm. Differences below these sizes do not matter, as in the criteria."""


@dataclass(frozen=True)
class Setting:
    """The bottleneck that all pairs meet."""

    rate_mbit_per_s: float = 20
    round_trip_ms: float = 40
    buffers_bdp: tuple[float, ...] = (0.2, 1, 4)
    """The depths of its buffer, in bandwidth-delay products."""
    flows: int = 4
    """The number of incumbents, and of newcomers."""


@dataclass(frozen=True)
class Pair:
    """An incumbent and a newcomer at one buffer."""

    incumbent: str
    newcomer: str
    buffer_bdp: float
    scenario: Scenario
    values: Mapping[int, Mapping[str, float]]
    """The values of `SHARE` and of the measures of harm, by seed, in base units."""
    share: Interval
    harm: Mapping[str, Harm]
    """By measure, where the baseline has incumbents in the newcomers' place."""
    harm_alone: Mapping[str, Harm]
    """By measure, where the baseline has nobody in the newcomers' place."""

    def mean(self, measure: Measure) -> float:
        """The mean of a measure over seeds, in base units."""
        return math.fsum(row[measure.key] for row in self.values.values()) / len(self.values)


@dataclass(frozen=True)
class Coexistence:
    """Every pair of algorithms."""

    contenders: Mapping[str, str | Factory]
    recoveries: Mapping[str, str]
    setting: Setting
    quick: bool
    seeds: tuple[int, ...]
    thresholds: Thresholds
    pairs: tuple[Pair, ...]
    """By buffer, then incumbent, then newcomer."""
    new_runs: int

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the algorithms."""
        return tuple(self.contenders)

    def pair(self, incumbent: str, newcomer: str, buffer_bdp: float) -> Pair:
        """One pair. Raises KeyError."""
        for pair in self.pairs:
            if (pair.incumbent, pair.newcomer, pair.buffer_bdp) == (incumbent, newcomer, buffer_bdp):
                return pair
        raise KeyError((incumbent, newcomer, buffer_bdp))


@dataclass(frozen=True)
class _Cell:
    incumbent: str
    newcomer: str
    buffer_bdp: float


def measure(result: RunRecord) -> Mapping[str, float]:
    """The incumbents' share and measures in one run; alone they have the whole goodput."""
    mine, others = goodputs(result, INCUMBENT), goodputs(result, NEWCOMER)
    whole = float(mine.sum() + others.sum())
    return {
        SHARE.key: float(mine.sum()) / whole if whole else 0.5,
        GOODPUT.key: float(mine.mean()),
        DELAY_95.key: delay_quantile(result),
        OWN_LOSS.key: loss_of(result, INCUMBENT),
    }


@checked
def coexist(  # noqa: PLR0913 - the public function: keywords, of which a call names a few
    algorithms: Sequence[str | Factory] | Mapping[str, str | Factory],
    store: str | Path,
    *,
    setting: Setting | None = None,
    quick: bool = False,
    seeds: int | None = None,
    thresholds: Thresholds | None = None,
    workers: int | None = None,
    trust: bool = False,
    progress: Progress | None = None,
) -> Coexistence:
    """Runs every pair of algorithms, built-in ones or Python classes, on one bottleneck.

    `store` is a folder of finished runs, from which an interrupted command goes on; `trust` is that of `run`.
    Raises ScenarioError, InputError, OutputError, and EvaluationInterrupted on Ctrl-C.
    """
    contenders = referred(algorithms, trust=trust)
    if len(contenders) < 2:
        raise InputError("coexistence takes at least two algorithms, as in: reno cubic")
    chosen = _checked(setting or Setting())
    numbers = seed_numbers(seeds if seeds is not None else QUICK_SEEDS if quick else FULL_SEEDS)
    met = len(contenders) * (len(contenders) + 1)
    refuse_many(buffers=len(chosen.buffers_bdp), pairs=met, seeds=len(numbers))
    cells = [
        _Cell(incumbent, newcomer, buffer)
        for buffer in chosen.buffers_bdp
        for incumbent in contenders
        for newcomer in (*contenders, ALONE)
    ]
    scenarios = {cell: _scenario(cell, contenders, chosen, quick) for cell in cells}
    # The seeds are the outermost loop, so that an interrupted command has complete seeds.
    tasks = {
        (cell, seed): _task(cell, *scenarios[cell], seed) for seed, cell in itertools.product(numbers, cells)
    }
    opened = Store(Path(store))
    interrupted, new_runs = run_missing(list(tasks.values()), opened, workers, None, progress)
    if interrupted:
        raise EvaluationInterrupted(f"interrupted after {counted(len(opened.keys()), 'run')}")
    found = rows_by_key(opened)
    keys = (SHARE.key, *(each.key for each in HARMS))
    values = {
        cell: {seed: {key: float(found[tasks[cell, seed].key][key]) for key in keys} for seed in numbers}
        for cell in cells
    }
    limits = thresholds or Thresholds()
    pairs = tuple(_pair(cell, scenarios[cell][0], values, limits) for cell in cells if cell.newcomer != ALONE)
    recoveries = {label: recovery_of(_spec(label, made)[0]) for label, made in contenders.items()}
    return Coexistence(contenders, recoveries, chosen, quick, numbers, limits, pairs, new_runs)


def _checked(setting: Setting) -> Setting:
    numbers = {
        "rate": (setting.rate_mbit_per_s,),
        "rtt": (setting.round_trip_ms,),
        "buffer": setting.buffers_bdp,
        "flows": (setting.flows,),
    }
    for name, found in numbers.items():
        if not found or not all(value > 0 and math.isfinite(value) for value in found):
            text = ", ".join(f"{value:g}" for value in found) or "nothing"
            raise InputError(f"{name}: found {text}; expected positive numbers")
    if len(set(setting.buffers_bdp)) < len(setting.buffers_bdp):
        raise InputError("buffer: a depth is named twice; each is run once")
    return setting


def _spec(label: str, algorithm: str | Factory) -> tuple[str, dict[str, Factory]]:
    """The specification of an algorithm in a scenario, and the Python class that it needs, by name."""
    if isinstance(algorithm, str):
        return algorithm.strip(), {}
    spec, name = class_name(label, algorithm)
    return spec, {name: algorithm}


def _scenario(
    cell: _Cell, contenders: Mapping[str, str | Factory], setting: Setting, quick: bool
) -> tuple[Scenario, dict[str, Factory]]:
    own, factories = _spec(cell.incumbent, contenders[cell.incumbent])
    traffic = [flows(INCUMBENT, setting.flows, algorithm=own)]
    if cell.newcomer != ALONE:
        theirs, more = _spec(cell.newcomer, contenders[cell.newcomer])
        factories |= more
        start = f"{NEWCOMERS_START_S} s"
        traffic.append(flows(NEWCOMER, setting.flows, algorithm=theirs, start=start))
    table = dumbbell(
        setting.rate_mbit_per_s,
        setting.round_trip_ms,
        cell.buffer_bdp,
        traffic,
        seconds=60 if quick else 200,
        warm_up_s=WARM_UP_S,
    )
    beside = f"{cell.incumbent} beside {cell.newcomer}" if cell.newcomer else f"{cell.incumbent} alone"
    table["title"] = f"{beside}, buffer {cell.buffer_bdp:g} BDP"
    return with_algorithm(load_scenario(table, custom=list(factories)), None, factories)


def _task(cell: _Cell, scenario: Scenario, factories: Mapping[str, Factory], seed: int) -> Task:
    code = identity.of_classes(factories)
    label = f"{cell.incumbent} | {cell.newcomer}"
    said = f"coexistence|{identity.of_code(measure)}|{code}"
    key = run_key(scenario.with_value("seed", str(seed)), label, said)
    return Task(key, scenario, seed, label, factories, BOTTLENECK, (), (measure,))


def _pair(
    cell: _Cell,
    scenario: Scenario,
    values: Mapping[_Cell, Mapping[int, Mapping[str, float]]],
    thresholds: Thresholds,
) -> Pair:
    def column(other: str, key: str) -> dict[int, float]:
        found = values[_Cell(cell.incumbent, other, cell.buffer_bdp)]
        return {seed: row[key] for seed, row in found.items()}

    def harms(baseline: str) -> dict[str, Harm]:
        return {
            each.key: harm(each, column(cell.newcomer, each.key), column(baseline, each.key), thresholds)
            for each in HARMS
        }

    shares = list(column(cell.newcomer, SHARE.key).values())
    return Pair(
        cell.incumbent,
        cell.newcomer,
        cell.buffer_bdp,
        scenario,
        values[cell],
        mean_interval(shares, thresholds.confidence),
        harms(cell.incumbent),
        harms(ALONE),
    )
