"""Sets of simulations: the same scenario over seeds, and over algorithms with common random numbers."""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeVar

import polars as pl

from ackclock import metrics
from ackclock._native import Scenario
from ackclock.algorithms import Factory, named, with_algorithm
from ackclock.errors import InputError, Interrupted
from ackclock.folder import ResultsFolder
from ackclock.provenance import provenance
from ackclock.results import TABLES, Result, simulate
from ackclock.scenarios import DEFAULT, Source, load_scenario, with_sampling

__all__ = ["DEFAULT_ALGORITHMS", "Comparison", "Progress", "compare", "replicate", "side_by_side"]

DEFAULT_ALGORITHMS = ("tahoe", "reno", "newreno", "sack", "vegas")
"""What `compare` compares when nothing is named."""

Progress = Callable[[float, float], None]
"""Told simulated seconds done and in all, a few times a second, in the caller's thread."""


@dataclass(frozen=True)
class Comparison:
    """Simulations of one scenario.

    One per label (usually an algorithm) and seed, in that order whatever the timing.

    Every label sees the same seeds, and each random source its own stream, so labels meet the same traffic.
    """

    scenario: Scenario
    """The scenario as given; labels replace its `tcp.algorithm`."""
    labels: tuple[str, ...]
    seeds: tuple[int, ...]
    results: tuple[Result, ...] = field(repr=False)
    interrupted: bool = False
    """Whether Ctrl-C ended it before every run was done."""
    wall_s: float = field(compare=False, default=float("nan"))

    def result(self, label: str, seed: int | None = None) -> Result:
        """One run; without `seed`, the first of that label. Raises KeyError."""
        for result in self.results:
            if result.label == label and seed in (None, result.seed):
                return result
        raise KeyError((label, seed))

    @functools.cached_property
    def runs(self) -> pl.DataFrame:
        """One row per run: label, seed and every metric in base units."""
        return metrics.runs_table(self.results)

    @functools.cached_property
    def summary(self) -> pl.DataFrame:
        """Per label and metric the mean over seeds with its 95 % interval, and more."""
        return metrics.summary(self.runs, self.labels)

    @functools.cached_property
    def differences(self) -> pl.DataFrame:
        """Per metric and two labels the mean paired difference over common seeds with its 95 % interval."""
        return metrics.differences(self.runs, self.labels)

    @functools.cached_property
    def bottleneck(self) -> str:
        """The link direction where packets wait."""
        return metrics.bottleneck(self.results)

    @functools.cached_property
    def seeds_alike(self) -> bool:
        """Whether all of several seeds gave the same numbers, so that intervals of no width mean nothing."""
        if len(self.seeds) < 2:
            return False
        return self.runs.drop("seed").unique().height == len(self.labels)

    @property
    def is_comparison(self) -> bool:
        """Whether there is more than one label."""
        return len(self.labels) > 1

    def table(self, name: str) -> pl.DataFrame:
        """One of a result's tables over all runs, with the columns `label` and `seed` in front."""
        tagged = [
            result.tables[name].select(
                pl.lit(result.label).alias("label"),
                pl.lit(result.seed, dtype=pl.UInt64).alias("seed"),
                pl.all(),
            )
            for result in self.results
        ]
        return pl.concat(tagged)

    def save(self, folder: str | Path, *, report: bool = True) -> Path:
        """Writes a results folder and returns its path. Raises OutputError; nothing half-written stays."""
        with ResultsFolder(folder) as opened:
            self.write(opened)
            if report:
                self.write_report(opened)
            return opened.commit()

    def write(self, folder: ResultsFolder) -> None:
        """Writes scenario, provenance, tables and captures into a folder that is open already."""
        folder.write_text("scenario.toml", self.scenario.to_toml())
        document = provenance(
            "comparison" if self.is_comparison else "run",
            self.scenario,
            self.seeds,
            self.labels,
            interrupted=self.interrupted,
            wall_s=round(self.wall_s, 3) if self.wall_s == self.wall_s else None,
            cpu_s=round(sum(result.cpu_s for result in self.results), 3),
        )
        folder.write_json("provenance.json", document)
        for name in TABLES:
            folder.write_table(name, self.table(name))
        for name in ("runs", "summary", "differences"):
            folder.write_table(name, getattr(self, name))
        for result in self.results:
            for link, data in result.captures.items():
                safe = link.replace("->", "-to-").replace("/", "_")
                folder.write_bytes(f"captures/{result.label}-seed{result.seed}-{safe}.pcapng", data)

    def write_report(self, folder: ResultsFolder) -> None:
        """Writes figures and report.html into a folder that is open already."""
        from ackclock import figures, report  # noqa: PLC0415 - plotting takes a second to load

        figures.write_all(self, folder)
        folder.write_text("report.html", report.render(self))


@dataclass(frozen=True)
class Job:
    """One simulation to do."""

    label: str
    scenario: Scenario
    seed: int
    factories: Mapping[str, Factory] = field(default_factory=dict)
    series: bool = False

    def prepared(self) -> Scenario:
        """The scenario with its seed, and with time series if they are wanted."""
        seeded = self.scenario.with_value("seed", str(self.seed))
        return with_sampling(seeded) if self.series else seeded


def replicate(
    scenario: Source,
    *,
    seeds: int | Sequence[int] = 1,
    settings: Mapping[str, object] | None = None,
    algorithms: Mapping[str, Factory] | None = None,
    series: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Runs one scenario over seeds: that many from the scenario's own seed on, or exactly these.

    `series` turns on time series for the first seed. `workers` threads run side by side (default: the
    processors this process may use). Raises ScenarioError, InputError, and Interrupted on Ctrl-C.
    """
    loaded = load_scenario(scenario, settings, custom=list(algorithms or ()))
    return _carry_out(
        loaded, {loaded.name: (loaded, dict(algorithms or {}))}, seeds, series, workers, progress
    )


def compare(
    algorithms: Sequence[str | Factory] | Mapping[str, str | Factory] = DEFAULT_ALGORITHMS,
    scenario: Source = DEFAULT,
    *,
    seeds: int | Sequence[int] = 1,
    settings: Mapping[str, object] | None = None,
    series: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Runs one scenario with each algorithm in turn as its `tcp.algorithm`, over the same seeds.

    An algorithm is a specification ("sack+htcp") or a Python class; a mapping gives them labels. Flows that
    name their own algorithm keep it. Other arguments and errors as in `replicate`.
    """
    variants = named(algorithms)
    if not variants:
        raise InputError("there is nothing to compare: name at least one algorithm")
    loaded = load_scenario(scenario, settings)
    prepared = {label: with_algorithm(loaded, algorithm) for label, algorithm in variants.items()}
    return _carry_out(loaded, prepared, seeds, series, workers, progress)


def _carry_out(
    base: Scenario,
    variants: Mapping[str, tuple[Scenario, dict[str, Factory]]],
    seeds: int | Sequence[int],
    series: bool,
    workers: int | None,
    progress: Progress | None,
) -> Comparison:
    numbers = _seeds(seeds, base.seed)
    sampled = with_sampling(base) if series else base
    jobs = [  # seeds outermost: an interrupted comparison has whole seeds to compare
        Job(label, scenario, number, factories, series and number == numbers[0])
        for number in numbers
        for label, (scenario, factories) in variants.items()
    ]
    begun = time.monotonic()
    results, interrupted = execute(jobs, workers, progress)
    finished = [result for result in results if result]
    place = {label: index for index, label in enumerate(variants)}
    turn = {number: index for index, number in enumerate(numbers)}
    finished.sort(key=lambda result: (place[result.label], turn[result.seed]))
    comparison = Comparison(
        sampled.with_value("seed", str(numbers[0])),
        tuple(sorted({result.label for result in finished}, key=place.__getitem__)),
        tuple(sorted({result.seed for result in finished}, key=turn.__getitem__)),
        tuple(finished),
        interrupted,
        time.monotonic() - begun,
    )
    if interrupted:
        raise Interrupted(comparison)
    return comparison


def _seeds(seeds: int | Sequence[int], first: int) -> tuple[int, ...]:
    numbers = tuple(range(first, first + seeds)) if isinstance(seeds, int) else tuple(seeds)
    if not numbers:
        raise InputError("at least one seed is needed")
    if len(set(numbers)) < len(numbers):
        raise InputError("every seed can be used once; a repeated one would count the same run twice")
    return numbers


def available_processors() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


T = TypeVar("T")
Item = TypeVar("Item")


def execute(
    jobs: Sequence[Job], workers: int | None, progress: Progress | None
) -> tuple[list[Result | None], bool]:
    """Runs the jobs in threads; results stand where their jobs stood.

    The flag says whether Ctrl-C cut it short.
    """
    results: list[Result | None] = [None] * len(jobs)

    def work(numbered: tuple[int, Job], told: Callable[[float], bool]) -> tuple[int, Result]:
        index, job = numbered
        return index, simulate(job.prepared(), job.label, job.factories, told)

    def keep(outcome: tuple[int, Result]) -> None:
        results[outcome[0]] = outcome[1]

    items = [(job.scenario.duration_s, (index, job)) for index, job in enumerate(jobs)]
    interrupted = side_by_side(items, work, keep, workers, progress)
    return results, interrupted


def side_by_side(
    items: Sequence[tuple[float, Item]],
    work: Callable[[Item, Callable[[float], bool]], T],
    take: Callable[[T], None],
    workers: int | None,
    progress: Progress | None,
) -> bool:
    """Does the work on every item in threads, and takes each outcome in the caller's thread, as it comes.

    Items stand with their simulated seconds, for the progress. True if Ctrl-C cut it short: what had been
    finished by then was taken.
    """
    total = sum(duration for duration, _ in items)
    done = [0.0] * len(items)
    stop = threading.Event()

    def one(index: int) -> T:
        def told(seconds: float) -> bool:
            done[index] = seconds
            return not stop.is_set()

        duration, item = items[index]
        outcome = work(item, told)
        done[index] = duration
        return outcome

    threads = workers or max(1, min(len(items), available_processors()))
    interrupted = False
    pool = ThreadPoolExecutor(threads)
    pending: set[Future[T]] = set()
    waiting = iter(range(len(items)))
    try:
        while True:
            # Few are handed out at a time, so that stopping is quick however many there are.
            for index in islice(waiting, 2 * threads - len(pending)):
                pending.add(pool.submit(one, index))
            if not pending:
                break
            finished, pending = wait(pending, timeout=0.1, return_when=FIRST_COMPLETED)
            for future in finished:
                take(future.result())
            if progress:
                progress(sum(done), total)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
    for future in pending:  # finished while the others were being stopped
        if interrupted and not future.cancelled() and future.exception() is None:
            take(future.result())
    return interrupted
