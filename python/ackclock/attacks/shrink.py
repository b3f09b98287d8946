"""A path made small: changes taken away, numbers rounded, time shortened; then other seeds and neighbours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ackclock.attacks.problem import Judged, Problem
from ackclock.attacks.runner import Runner
from ackclock.attacks.space import BY_NAME, TIMES, Key, Path

__all__ = ["Finding", "Range", "check", "shrink"]

LOST = 0.25
"""The part of the damage that a plainer path may lose."""

HOLDS = 0.5
"""The part of the damage that counts as the same on another seed, or with a neighbouring value."""

DURATIONS_S = (10.0, 15.0, 20.0, 30.0)
"""The lengths of a run that are tried, the shortest first."""

AFTER_S = 5.0
"""The least time of a run after its last change."""

NEIGHBOURS = tuple(2.0**power for power in (-4, -3, -2, -1, 1, 2, 3, 4))
"""The factors of neighbouring values."""

LEAST_SHARE_OF_SEEDS = 0.8
"""The share of other seeds on which a finding holds; others are thrown away."""


@dataclass(frozen=True)
class Range:
    """The values of a key with which a finding holds."""

    change: str
    key: Key
    low: float
    high: float


@dataclass(frozen=True)
class Finding:
    """A path made small, and where it holds."""

    judged: Judged
    """Its outcome on the seed of the search."""
    duration_s: float
    bar: float
    """The share below which the finding holds."""
    seeds: Mapping[int, Judged]
    """Its outcomes on other seeds."""
    ranges: tuple[Range, ...]
    found: Judged
    """The path as it was found."""

    @property
    def path(self) -> Path:
        """The path."""
        return self.judged.path

    @property
    def share(self) -> float:
        """The share of the quantity that is left."""
        return self.judged.share

    @property
    def held(self) -> int:
        """The number of other seeds on which it holds."""
        return sum(one.share < self.bar for one in self.seeds.values())

    @property
    def is_kept(self) -> bool:
        """False for one that depends on its seed."""
        return self.held >= LEAST_SHARE_OF_SEEDS * len(self.seeds)


def bar(share: float, lost: float) -> float:
    """The share at which this part of the damage is lost."""
    return share + lost * (1 - share)


class _Shrinking:
    def __init__(self, problem: Problem, runner: Runner, seed: int, found: Judged) -> None:
        self.problem, self.runner, self.seed = problem, runner, seed
        self.limit = 1.0 if problem.is_condition else bar(found.share, LOST)
        self.duration_s = problem.space.duration_s
        self.best = found

    def judged(self, paths: Sequence[Path], duration_s: float) -> list[Judged]:
        outcomes = self.problem.judge(self.runner, paths, (self.seed,), duration_s)
        return [outcome[self.seed] for outcome in outcomes]

    def _holds(self, one: Judged) -> bool:
        return one.share < self.limit

    def remove(self) -> None:
        """Takes away changes, of several the one whose loss costs least, until none can go."""
        while True:
            path = self.best.path
            fewer = [
                {name: path[name] for name in path if name != left}
                for left in path
                if left not in self.problem.space.always
            ]
            kept = [one for one in self.judged(fewer, self.duration_s) if self._holds(one)]
            if not kept:
                return
            self.best = min(kept, key=lambda one: one.share)

    def round(self) -> None:
        """Rounds each number as far as the damage permits."""
        for name, values in self.best.path.items():
            keys = {key.name: key for key in BY_NAME[name].keys}
            for key, value in values.items():
                if isinstance(value, str):
                    continue
                rounder = [number for number in rounded(value, keys[key]) if number != value]
                paths = [self._with(name, key, number) for number in rounder]
                for one in self.judged(paths, self.duration_s):
                    if self._holds(one):
                        self.best = one
                        break

    def _with(self, name: str, key: str, value: float) -> Path:
        path = self.best.path
        return self.problem.space.held({**path, name: {**path[name], key: value}})

    def shorten(self) -> None:
        """Takes the shortest run in which the damage shows."""
        last = last_change_s(self.best.path)
        shorter = [one for one in DURATIONS_S if last + AFTER_S <= one < self.duration_s]
        for duration_s in shorter:
            (one,) = self.judged([self.best.path], duration_s)
            if self._holds(one):
                self.best, self.duration_s = one, duration_s
                return


def last_change_s(path: Path) -> float:
    """The time of the last change of a path."""
    times = [
        float(values[key]) + float(values.get("seconds", 0.0))
        for values in path.values()
        for key in TIMES
        if key in values
    ]
    return max(times, default=0.0)


def rounded(value: float, key: Key) -> Iterator[float]:
    """Rounder numbers near a value within the bounds, the plainest first."""
    if value == 0:
        return
    if key.name == "at" and key.low == 0:
        yield 0.0
    if key.name == "count":
        yield key.low
    power = 10.0 ** math.floor(math.log10(abs(value)))
    nearest = min((1, 2, 5, 10), key=lambda digit: abs(math.log(digit * power / value)))
    for number in (nearest * power, float(f"{value:.1g}"), float(f"{value:.2g}")):
        if key.low <= number <= key.high:
            yield float(f"{number:.10g}")


def shrink(problem: Problem, runner: Runner, found: Judged, seed: int) -> tuple[Judged, float]:
    """The plainest path that keeps most of the damage, and the length of its run."""
    work = _Shrinking(problem, runner, seed, found)
    work.remove()
    work.shorten()
    work.round()
    work.remove()
    return work.best, work.duration_s


def check(
    problem: Problem, runner: Runner, small: Judged, duration_s: float, found: Judged, seeds: Sequence[int]
) -> Finding:
    """The finding with its outcomes on other seeds; if it holds there, with the values around its own."""
    limit = 1.0 if problem.is_condition else bar(found.share, HOLDS)
    outcomes = problem.judge(runner, [small.path], seeds, duration_s)[0]
    finding = Finding(small, duration_s, limit, outcomes, (), found)
    if not finding.is_kept:
        return finding
    return Finding(
        small, duration_s, limit, outcomes, tuple(_ranges(problem, runner, finding, seeds[0])), found
    )


def _ranges(problem: Problem, runner: Runner, finding: Finding, seed: int) -> Iterator[Range]:
    """The values around those of the path with which the finding holds, on one other seed."""
    asked: list[tuple[str, Key, float]] = []
    for name, values in finding.path.items():
        for key in BY_NAME[name].keys:
            value = values[key.name]
            if isinstance(value, str) or not value or key.name in (*TIMES, "count"):
                continue
            around = (value * factor for factor in NEIGHBOURS)
            asked += [(name, key, key.held(each)) for each in around if key.low <= each <= key.high]
    paths = [
        problem.space.held({**finding.path, name: {**finding.path[name], key.name: value}})
        for name, key, value in asked
    ]
    outcomes = problem.judge(runner, paths, (seed,), finding.duration_s)
    holds = {
        (name, key.name, value): outcome[seed].share < finding.bar
        for (name, key, value), outcome in zip(asked, outcomes, strict=True)
    }
    for name, key in dict.fromkeys((name, key) for name, key, _ in asked):
        value = float(finding.path[name][key.name])
        mine = {
            each: ok for (change, label, each), ok in holds.items() if (change, label) == (name, key.name)
        }
        low = high = value
        for each in sorted((one for one in mine if one < value), reverse=True):
            if not mine[each]:
                break
            low = each
        for each in sorted(one for one in mine if one > value):
            if not mine[each]:
                break
            high = each
        if low < high:
            yield Range(name, key, low, high)
