"""One experiment of chapter 5 under one stack, and what its claims ask of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ackclock.measures.statistics import Interval, mean_interval
from ackclock.papers import Holds, Measured, Ordered, Undecidable, Values

from .stack import STACKS, VARIANTS, Stack
from .study import Floats, Outcome, Race, better

FileClass = str
CLASSES: tuple[FileClass, ...] = ("mice", "elephants")
BURSTS = ("btcp4", "btcp8")


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

    def improvement(self, variant: str, *points: float) -> Values:
        """The improvement as the thesis defines it: the mean gain, and the alternative."""
        chosen = points or self.points
        saved = [1 - self.time(variant, n) / self.time("newreno", n) for n in chosen]
        samples = over_points(self.gains(variant, n) for n in chosen)
        return Values(samples, note=f"as a share of NewReno's time {100 * float(np.mean(saved)):.1f} %")

    def mean_times(self, variant: str) -> list[float]:
        """Transfer times averaged over the points, per seed."""
        return over_points(self.times(variant, point) for point in self.points)

    def variants(self) -> list[str]:
        """In the order in which they are drawn."""
        there = {variant for variant, _ in self.found}
        return [*(name for name in VARIANTS if name in there), *sorted(there - set(VARIANTS))]

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
        return Undecidable(f"the quick check leaves out {point:.0f} flows")
    return measure()


def with_all_seeds(contest: Contest, point: float, measure: Callable[[], Measured]) -> Measured:
    """A measurement that few seeds would answer wrongly: intervals of few seeds always overlap."""
    if point in contest.points and len(contest.times("newreno", point)) < 30:
        return Undecidable("too few seeds for intervals as narrow as the thesis'")
    return at(contest, point, measure)


def overlap(contest: Contest, first: str, second: str, points: Sequence[float]) -> Measured:
    """Whether the 95 % intervals of two variants' mean times overlap, at every one of these points."""

    def compared() -> Measured:
        pairs = [(contest.interval(first, point), contest.interval(second, point)) for point in points]
        words = "; ".join(f"{a.low:.3f} to {a.high:.3f} s, {b.low:.3f} to {b.high:.3f} s" for a, b in pairs)
        return Holds([a.low <= b.high and b.low <= a.high for a, b in pairs], note=words)

    return with_all_seeds(contest, max(points), compared)


Number = Callable[[str, float], float]
"""A number of a variant at a point."""


def below(
    contest: Contest,
    lower: Sequence[str],
    upper: Sequence[str],
    number: Number,
    unit: str = "",
) -> Holds:
    """Whether, point by point, each of the lower ones' numbers is below each of the upper ones'."""
    outcomes, words = [], []
    for point in contest.points:
        low, high = ([number(name, point) for name in names] for names in (lower, upper))
        outcomes += [a < b for a in low for b in high]
        words.append(f"{point:.0f}: {_listed(low)} and {_listed(high)}{unit}")
    return Holds(outcomes, note="; ".join(words))


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.3g}" for value in values)


def times_below(contest: Contest, lower: Sequence[str], upper: Sequence[str]) -> Holds:
    """Whether mice take less time, point by point."""
    return below(contest, lower, upper, contest.time, " s")


def loss_below(contest: Contest, of: FileClass, lower: Sequence[str], upper: Sequence[str]) -> Holds:
    """Whether a class loses a smaller share of its packets, point by point."""
    return below(contest, lower, upper, lambda variant, point: contest.loss(of, variant, point), " %")


def both(*held: Holds) -> Holds:
    """Trials of several statements that must all hold."""
    return Holds(
        [outcome for each in held for outcome in each.outcomes], note="; ".join(each.note for each in held)
    )


def ordered_times(contest: Contest, names: Sequence[str]) -> Ordered:
    """Mean times over all points, per seed, in ms."""
    return Ordered({name: [1e3 * value for value in contest.mean_times(name)] for name in names})


def relative(changed: Sequence[float], before: Sequence[float]) -> Values:
    """By how many per cent the first mean is above the second; samples per seed."""
    return Values(better(changed, before))


def best(samples: Mapping[tuple[str, float], Sequence[float]]) -> Values:
    """The largest of several gains, and where it was."""
    where = max(samples, key=lambda key: mean(samples[key]))
    return Values(samples[where], note=f"{VARIANTS.get(where[0], where[0])} at {where[1]:.0f} flows")


def pooled_mice(contest: Contest, variant: str, point: float) -> list[Floats]:
    """The times of the mice of every run, in s."""
    return [outcome.mice_s for outcome in contest.found[variant, point]]
