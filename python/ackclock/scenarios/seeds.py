"""The seeds of an experiment, given as a number or a list."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ackclock.errors import InputError

__all__ = ["MOST_RUNS", "MOST_SEEDS", "refuse_many", "seed_numbers"]

MOST_RUNS = 1_000_000
"""Of one experiment, with all its seeds."""

MOST_SEEDS = 1_000_000
"""The most seeds of one experiment. A count is bounded before it becomes a list."""

LARGEST_SEED = 2**63 - 1


def seed_numbers(seeds: object, first: int = 1) -> tuple[int, ...]:
    """The seeds that `seeds` denotes: a number of seeds from `first` on, or a list. Raises InputError."""
    if isinstance(seeds, int) and not isinstance(seeds, bool):
        _check(1 <= seeds <= MOST_SEEDS, seeds, f"1 to {MOST_SEEDS} seeds")
        if first + seeds - 1 > LARGEST_SEED:
            raise InputError(f"seeds: found {seeds} from {first} on; expected seeds up to {LARGEST_SEED}")
        return tuple(range(first, first + seeds))
    if not isinstance(seeds, Sequence) or isinstance(seeds, str | bytes):
        raise _wrong(seeds, "how many seeds to run, or a list of them")
    _check(1 <= len(seeds) <= MOST_SEEDS, len(seeds) or [], f"a list of 1 to {MOST_SEEDS} seeds")
    for seed in seeds:
        is_seed = isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed <= LARGEST_SEED
        _check(is_seed, seed, f"whole numbers from 0 to {LARGEST_SEED}")
    if len(set(seeds)) < len(seeds):
        raise InputError("seeds: every seed can be used once; a repeated one would count the same run twice")
    return tuple(seeds)


def _check(is_right: bool, found: object, expected: str) -> None:
    if not is_right:
        raise _wrong(found, expected)


def _wrong(found: object, expected: str) -> InputError:
    return InputError(f"seeds: found {found!r:.60}; expected {expected}")


def refuse_many(**counts: int) -> None:
    """Raises InputError where the product of these counts, the runs of an experiment, is too large."""
    runs = math.prod(counts.values())
    if runs > MOST_RUNS:
        found = " x ".join(f"{count} {name}" for name, count in counts.items())
        raise InputError(f"{' x '.join(counts)}: found {found}; expected at most {MOST_RUNS} runs")
