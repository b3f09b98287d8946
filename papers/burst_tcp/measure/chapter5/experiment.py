"""One experiment of chapter 5 under one stack, and what its claims ask of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from ackclock.measures.statistics import Interval, mean_interval
from ackclock.papers import Each, Holds, Measured, NotRun, Ordered, Undecidable, Values

from ..file_runs import Floats, Outcome, Race, better
from ..stack import STACKS, VARIANTS, Stack

FileClass = str
CLASSES: tuple[FileClass, ...] = ("mice", "elephants")
BURSTS = ("btcp4", "btcp8")
SACK = "sack"
"""NewReno's congestion control with SACK, in the base experiment alone."""
WINDOWED = "newreno-iw4"
"""NewReno with an increased initial window, in the experiment with delayed acknowledgments alone."""


@dataclass(frozen=True)
class Contest:
    """The transfers of one experiment under one stack: outcomes per seed, by variant and point."""

    found: Mapping[tuple[str, float], Sequence[Outcome]]
    points: tuple[float, ...]
    """The numbers of flows, rising."""

    @staticmethod
    def of(race: Race[Outcome], stack: Stack) -> Contest:
        """This stack's part of a race."""
        mine = {
            (variant, point): runs
            for (name, variant, point), runs in race.found.items()
            if name == stack.name
        }
        return Contest(mine, tuple(sorted({point for _, point in mine})))

    def numbers(self, name: str, variant: str, point: float) -> list[float]:
        """One of an outcome's numbers, per seed."""
        return [outcome.numbers[name] for outcome in self.found[variant, point]]

    def times(self, variant: str, point: float) -> list[float]:
        """Mean transfer times of mice in s, per seed."""
        return self.numbers("mice_transfer_s", variant, point)

    def losses(self, of: FileClass, variant: str, point: float) -> list[float]:
        """Lost packets of a class in per cent of all packets sent, per seed; of both classes: see `lost`.

        The thesis does not say of what its shares are. Of all packets they fit the axes of figures 16 and 20
        and the 0.4 % of 5.2.3; of those that the class sent they would be up to three times of that.
        """
        return [100 * outcome.lost[of] for outcome in self.found[variant, point]]

    def lost(self, variant: str, point: float) -> list[float]:
        """Lost packets of both classes in per cent of those sent, per seed."""
        return [100 * sum(outcome.lost.values()) for outcome in self.found[variant, point]]

    def time(self, variant: str, point: float) -> float:
        """The mean over seeds of the mice's transfer time in s."""
        return mean(self.times(variant, point))

    def loss(self, of: FileClass, variant: str, point: float) -> float:
        """The mean over seeds of a class' loss in per cent."""
        return mean(self.losses(of, variant, point))

    def gains(self, variant: str, point: float, standard: str = "newreno") -> list[float]:
        """By how many per cent the standard's mean time is above the variant's: samples for an interval."""
        return better(self.times(standard, point), self.times(variant, point))

    def gain(self, variant: str, point: float, standard: str = "newreno") -> float:
        """The mean over the points."""
        return 100 * (self.time(standard, point) / self.time(variant, point) - 1)

    def mean_gains(self, variant: str, standard: str = "newreno") -> list[float]:
        """Gains averaged over the points, samples for an interval."""
        return over_points(self.gains(variant, point, standard) for point in self.points)

    def difference(self, variant: str, *points: float) -> Values:
        """What the thesis calls a difference: by how many per cent NewReno's time is above the variant's."""
        chosen = points or self.points
        saved = mean(self.saved(variant, *chosen))
        samples = over_points(self.gains(variant, n) for n in chosen)
        return Values(samples, note=f"{saved:.1f} % of NewReno's time")

    def improvement(self, variant: str, *points: float, standard: str = "newreno") -> Values:
        """What the thesis calls an improvement: the share saved of the standard's time, in per cent."""
        chosen = points or self.points
        gain = mean([self.gain(variant, n, standard) for n in chosen])
        name = VARIANTS[standard]
        samples = self.saved(variant, *chosen, standard=standard)
        return Values(samples, note=f"{name}'s time is {gain:.1f} % above")

    def saved(self, variant: str, *points: float, standard: str = "newreno") -> list[float]:
        """The share saved of the standard's mean time in per cent, averaged over the points; samples."""
        kept = (better(self.times(variant, n), self.times(standard, n)) for n in points)
        return [-value for value in over_points(kept)]

    def mean_times(self, variant: str) -> list[float]:
        """Transfer times averaged over the points, per seed."""
        return over_points(self.times(variant, point) for point in self.points)

    def variants(self) -> list[str]:
        """In the order in which they are drawn."""
        there = {variant for variant, _ in self.found}
        return [*(name for name in VARIANTS if name in there), *sorted(there - set(VARIANTS))]

    def rivals(self) -> list[str]:
        """The algorithms compared with NewReno throughout: B-TCP, and the competitors that the user adds."""
        return [name for name in self.variants() if name not in ("newreno", SACK, WINDOWED)]

    def interval(self, variant: str, point: float) -> Interval:
        """The mean transfer time of mice with its 95 % interval, in s."""
        return mean_interval(self.times(variant, point))

    def at_points(self, points: Iterable[float], variants: Iterable[str] | None = None) -> Contest:
        """The contest without some of the points or variants."""
        wanted = set(points)
        kept = [point for point in self.points if point in wanted]
        chosen = set(self.variants() if variants is None else variants)
        found = {key: runs for key, runs in self.found.items() if key[0] in chosen and key[1] in set(kept)}
        return Contest(found, tuple(kept))


def mean(values: Sequence[float]) -> float:
    """Of those that exist: a class without files has no loss share."""
    return float(np.nanmean(values))


def over_points(samples: Iterable[Sequence[float]]) -> list[float]:
    """Averages over points, seed by seed."""
    return [float(value) for value in np.mean([list(mine) for mine in samples], axis=0)]


def existing(values: Sequence[float]) -> list[float]:
    """Those that exist."""
    return [value for value in values if np.isfinite(value)]


def split(race: Race[Outcome]) -> dict[str, Contest]:
    """A race by stack."""
    return {stack.name: Contest.of(race, stack) for stack in STACKS}


def at(contest: Contest, point: float, measure: Callable[[], Measured]) -> Measured:
    """A measurement at one number of flows, if that was run."""
    if point not in contest.points:
        return NotRun(f"the quick check leaves out {point:.0f} flows")
    return measure()


def with_all_seeds(contest: Contest, point: float, measure: Callable[[], Measured]) -> Measured:
    """A measurement that few seeds would answer wrongly: intervals of few seeds always overlap."""
    if point in contest.points and len(contest.times("newreno", point)) < 30:
        return Undecidable("too few seeds for intervals as narrow as the thesis'")
    return at(contest, point, measure)


def overlap(contest: Contest, first: str, second: str, points: Sequence[float]) -> Measured:
    """True if the 95 % intervals of two variants' mean times overlap, at every one of these points."""

    def compared() -> Measured:
        pairs = [(contest.interval(first, point), contest.interval(second, point)) for point in points]
        words = "; ".join(f"{a.low:.3f} to {a.high:.3f} s, {b.low:.3f} to {b.high:.3f} s" for a, b in pairs)
        return Holds([a.low <= b.high and b.low <= a.high for a, b in pairs], note=words)

    return with_all_seeds(contest, max(points), compared)


Samples = Callable[[str, float], Sequence[float]]
"""A number of a variant at a point, per seed."""
Losses = Callable[[FileClass, str, float], Sequence[float]]
"""What a class lost with a variant at a point, per seed."""


def below(contest: Contest, lower: Sequence[str], upper: Sequence[str], samples: Samples) -> Each:
    """By how much each of the lower ones' numbers is below each of the upper ones', point by point."""
    pairs = {
        f"{point:.0f} flows{_pair(low, high) if len(lower) * len(upper) > 1 else ''}": (
            samples(low, point),
            samples(high, point),
        )
        for point in contest.points
        for low in lower
        for high in upper
    }
    words = "; ".join(f"{name}: {mean(low):.3g} and {mean(high):.3g}" for name, (low, high) in pairs.items())
    return Each({name: minus(high, low) for name, (low, high) in pairs.items()}, note=words)


def _pair(low: str, high: str) -> str:
    return f", {VARIANTS.get(low, low)} under {VARIANTS.get(high, high)}"


def minus(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """Differences, seed by seed."""
    return [float(a - b) for a, b in zip(first, second, strict=True)]


def times_below(contest: Contest, lower: Sequence[str], upper: Sequence[str]) -> Each:
    """By how many seconds mice are faster, point by point."""
    return below(contest, lower, upper, contest.times)


def loss_below(contest: Contest, of: FileClass, lower: Sequence[str], upper: Sequence[str]) -> Each:
    """By how much the share is smaller that a class loses, point by point."""
    return below(contest, lower, upper, lambda variant, point: contest.losses(of, variant, point))


def in_every_class(lower: Losses, upper: Losses, points: Iterable[float]) -> Each:
    """By how much less every class of every variant loses in one experiment than in another."""
    return Each(
        {
            f"{point:.0f} flows, {of}, {VARIANTS[name]}": minus(
                upper(of, name, point), lower(of, name, point)
            )
            for of, name, point in product(CLASSES, VARIANTS, points)
        }
    )


def ordered_times(contest: Contest, names: Sequence[str]) -> Ordered:
    """Mean times over all points, per seed, in ms."""
    return Ordered({name: [1e3 * value for value in contest.mean_times(name)] for name in names})


def relative(changed: Sequence[float], before: Sequence[float]) -> Values:
    """By how many per cent the first mean is above the second; samples per seed."""
    return Values(better(changed, before))


def best(samples: Mapping[tuple[str, float], Sequence[float]]) -> Values:
    """The largest of several numbers in per cent, and where it was."""
    where = max(samples, key=lambda key: mean(samples[key]))
    return Values(samples[where], note=f"{VARIANTS.get(where[0], where[0])} at {where[1]:.0f} flows")


def pooled_mice(contest: Contest, variant: str, point: float) -> list[Floats]:
    """The times of the mice of every run, in s."""
    return [outcome.mice_s for outcome in contest.found[variant, point]]
