"""Runs of many files under every stack, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ackclock import Result, Scenario
from ackclock.measures import transfers
from ackclock.papers import Context, Measured

from .stack import QUICK_SEEDS, STACKS, THESIS, VARIANTS, Stack, Variant

Floats = NDArray[np.float64]
T = TypeVar("T")

LOADS = (250, 500, 750, 1000, 1250)
"""Numbers of flows in chapter 5."""
MICE_PACKETS = 32
"""The largest mouse, where nothing else is said."""
MICE_BY_AEST_PACKETS = 82
"""The largest mouse by the AEST method, as 5.2.1 found it."""

ByStack = dict[str, dict[str, Measured]]
"""Measurements by the name of the stack and the id of the claim."""


@dataclass(frozen=True)
class Study:
    """A reproduction, and how much it runs."""

    context: Context
    seeds: int
    """Of the thesis' own stack."""
    seeds_beside: int
    """Of the others."""
    loads: tuple[int, ...]
    heavy_loads: tuple[int, ...]
    """Beyond the loads of most experiments."""

    @staticmethod
    def of(context: Context) -> Study:
        """50 seeds, as in the thesis, and 20 of the other stacks; or a minute's worth."""
        if context.quick:
            return Study(context, QUICK_SEEDS["thesis"], 3, (250, 1250), (2500,))
        return Study(context, 50, 20, LOADS, (1500, 1750, 2000, 2250, 2500))

    @property
    def variants(self) -> tuple[Variant, ...]:
        """Those of the thesis, and the competitors that the user adds."""
        return (*VARIANTS, *self.context.competitors)

    def seeds_of(self, stack: Stack) -> int:
        """The number of seeds of a stack, counted from the first."""
        return self.seeds if stack is THESIS else self.seeds_beside


@dataclass(frozen=True)
class Case:
    """One scenario, complete except for its seed, and its place."""

    stack: Stack
    variant: str
    point: float
    """Where it stands on the experiment's axis: the number of flows, usually."""
    scenario: Scenario


def cases(
    base: Scenario,
    points: Mapping[float, Mapping[str, object]],
    variants: Iterable[Variant],
    stacks: Iterable[Stack] = STACKS,
) -> list[Case]:
    """Every variant under every stack at every point, which is given with its settings."""
    return [
        Case(stack, label(variant), point, stack.scenario(base, variant, settings))
        for stack in stacks
        for point, settings in points.items()
        for variant in variants
    ]


def label(variant: Variant) -> str:
    """Its key in measurements, and for a competitor its name in tables."""
    return variant if isinstance(variant, str) else variant.label


def loads(counts: Iterable[int], groups: int = 1) -> dict[float, dict[str, object]]:
    """Points for numbers of flows: `flow.0.count`, and as many in each further group."""
    return {float(count): {f"flow.{group}.count": count for group in range(groups)} for count in counts}


@dataclass(frozen=True)
class Race(Generic[T]):
    """The measures of every run, by stack, variant and point; one per seed, seeds in the same order."""

    found: Mapping[tuple[str, str, float], Sequence[T]]

    def of(self, stack: Stack, variant: str, point: float) -> Sequence[T]:
        """The runs of one case."""
        return self.found[stack.name, variant, point]


def race(study: Study, wanted: Sequence[Case], make: Callable[[Result], T]) -> Race[T]:
    """Runs every case over the same seeds, so that all meet the same files.

    What several stacks have in common, such as NewReno with the same settings, is run once.
    """
    scenarios = {case.scenario.to_toml(): case.scenario for case in wanted}
    seeds = dict.fromkeys(scenarios, 0)
    for case in wanted:
        text = case.scenario.to_toml()
        seeds[text] = max(seeds[text], study.seeds_of(case.stack))
    items = [
        (scenario.duration_s, (scenario, seed))
        for text, scenario in scenarios.items()
        for seed in range(1, 1 + seeds[text])
    ]

    def work(item: tuple[Scenario, int], told: Callable[[float], bool]) -> T:
        return make(study.context.run(item[0], seed=item[1], progress=told))

    made = iter(study.context.each(items, work))
    by_text = {text: [next(made) for _ in range(count)] for text, count in seeds.items()}
    return Race(
        {
            (case.stack.name, case.variant, case.point): by_text[case.scenario.to_toml()][
                : study.seeds_of(case.stack)
            ]
            for case in wanted
        }
    )


@dataclass(frozen=True)
class Outcome:
    """One run of files, by classes of size."""

    numbers: Mapping[str, float]
    """The measures of either class from `ackclock.measures.transfers`, such as `mice_transfer_s`."""
    by_aest: Mapping[str, float]
    """The measures with the threshold that the thesis found by the AEST method."""
    lost: Mapping[str, float]
    """Packets lost by class, over all packets that were sent in the run."""
    mice_s: Floats
    """Times of the mice that finished, in s."""

    @staticmethod
    def of(result: Result) -> Outcome:
        """All of it from one run."""
        return Outcome.of_files(transfers.records(result))

    @staticmethod
    def of_files(files: pl.DataFrame) -> Outcome:
        """All of it from some of the files of a run: rows of `ackclock.measures.transfers.records`."""
        sent = max(1.0, float(files["packets_sent"].sum()))
        classes = transfers.by_class(files, MICE_PACKETS)
        times = classes["mice"]["time_s"].to_numpy()
        return Outcome(
            numbers=transfers.by_class_measured(files, MICE_PACKETS),
            by_aest=transfers.by_class_measured(files, MICE_BY_AEST_PACKETS),
            lost={name: float(mine["packets_lost"].sum()) / sent for name, mine in classes.items()},
            mice_s=times[np.isfinite(times)],
        )


def numbers(outcomes: Iterable[Outcome], name: str) -> list[float]:
    """One of the numbers of each run."""
    return [outcome.numbers[name] for outcome in outcomes]


def better(standard: Sequence[float], other: Sequence[float]) -> list[float]:
    """By how many per cent the standard's mean is above the other's: the thesis' "difference" of times.

    The ratio of the two means over all seeds, as a sample per seed: jackknife pseudo-values, so that a mean
    and an interval may be taken of them. Seeds stand in the same order in both.
    """
    first, second = np.asarray(standard), np.asarray(other)
    n = first.size
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = first.mean() / second.mean()
        if n == 1:
            return [100 * float(whole - 1)]
        without = (first.sum() - first) / (second.sum() - second)
    return [100 * float(value - 1) for value in n * whole - (n - 1) * without]


def median(outcomes: Iterable[Outcome]) -> float:
    """The median of all mice of all runs together, in s."""
    return float(np.median(np.concatenate([outcome.mice_s for outcome in outcomes])))
