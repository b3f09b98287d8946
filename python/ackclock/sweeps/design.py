"""Designs of a sweep: they select the combinations of the factors' values to run.

    [design]
    kind = "fractional-factorial"     # two levels: the two values of each axis of [grid] and [cases]
    runs = 16                         # or resolution = 4, or generators = ["E = ABCD"]

    [design]
    kind = "latin-hypercube"          # samples of the ranges; every sample with every point of the grid
    samples = 32
    seed = 1

    [ranges]
    topology.dumbbell.bottleneck.rate = { low = "1 Mbit/s", high = "100 Mbit/s", scale = "log" }

Two-level designs are pyDOE's, sequences SciPy's. Generators for a number of runs are searched for here: for a
2^(11-5) design two seconds of pyDOE's search (1.6) end at resolution III, although IV exists.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ackclock.errors import InputError, nearest

__all__ = ["KINDS", "LETTERS", "SAMPLED", "Design", "Range", "generators_for", "resolution_of", "two_levels"]

TWO_LEVEL = ("full-factorial", "fractional-factorial", "plackett-burman")
SAMPLED = ("latin-hypercube", "sobol", "saltelli")
KINDS = (*TWO_LEVEL, *SAMPLED)
KEYS = ("kind", "runs", "resolution", "generators", "samples", "seed")

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
"""Factors are named by letters in the order of the axes, without I, the identity of the defining relation."""

MOST_SAMPLES = 1 << 16
MOST_BASE_FACTORS = 12
"""A two-level design with more free factors than this has more than 4096 points."""

MOST_PLACKETT_BURMAN = 23
"""pyDOE's largest design, in 24 points; it has none in 28."""

Levels = NDArray[np.float64]


@dataclass(frozen=True)
class Range:
    """A factor that is sampled between two bounds."""

    name: str
    low: float
    high: float
    unit: str
    is_log: bool
    is_whole: bool
    """True if only whole numbers are drawn."""

    def value(self, share: float) -> str | int | float:
        """The value at a share of the range between 0 and 1, with six significant digits."""
        if self.is_log:
            number = self.low * (self.high / self.low) ** share
        else:
            number = self.low + share * (self.high - self.low)
        rounded: float = round(number) if self.is_whole else float(f"{number:.6g}")
        return f"{rounded:.12g} {self.unit}" if self.unit else rounded


@dataclass(frozen=True)
class Design:
    """A kind of design with its options, as a plan gives them."""

    kind: str
    runs: int | None = None
    resolution: int | None = None
    generators: tuple[str, ...] = ()
    samples: int = 0
    seed: int = 1

    @property
    def is_two_level(self) -> bool:
        """True if each factor has a low and a high level."""
        return self.kind in TWO_LEVEL

    def most_points(self, factors: int, ranges: int, grid: int) -> int:
        """The largest number of points, where a grid of its own goes with each sample."""
        if self.kind == "full-factorial":
            return int(2**factors)
        if self.is_two_level:
            return 1 << MOST_BASE_FACTORS
        return grid * (self.samples or 1) * (ranges + 2 if self.kind == "saltelli" else 1)

    def levels(self, factors: int) -> Levels:
        """A row per point and a column per factor: -1 and 1 of two levels, or shares of the ranges.

        A design of Saltelli's has the rows of A, of B, and of A with each column replaced in turn by that of
        B.
        """
        if self.kind == "latin-hypercube":
            from scipy.stats import qmc  # noqa: PLC0415 - takes a second to load

            return np.asarray(qmc.LatinHypercube(factors, rng=self.seed).random(self.samples))
        if self.kind == "sobol":
            return _sobol_sequence(factors, self.samples, self.seed)
        if self.kind == "saltelli":
            both = _sobol_sequence(2 * factors, self.samples, self.seed)
            first, second = both[:, :factors], both[:, factors:]
            mixed = [np.where(np.arange(factors) == column, second, first) for column in range(factors)]
            return np.concatenate([first, second, *mixed])
        return two_levels(self, factors)

    def facts(self) -> dict[str, object]:
        """The keys of `[design]`."""
        given: dict[str, object] = {"kind": self.kind}
        given |= {"runs": self.runs} if self.runs is not None else {}
        given |= {"resolution": self.resolution} if self.resolution is not None else {}
        given |= {"generators": list(self.generators)} if self.generators else {}
        given |= {"samples": self.samples, "seed": self.seed} if self.samples else {}
        return given


def _sobol_sequence(dimensions: int, samples: int, seed: int) -> Levels:
    from scipy.stats import qmc  # noqa: PLC0415 - takes a second to load

    return np.asarray(qmc.Sobol(dimensions, scramble=True, rng=seed).random(samples))


def two_levels(design: Design, factors: int) -> Levels:
    """A two-level design, of +-1. Raises ValueError if there is none with the given options."""
    import pydoe  # noqa: PLC0415 - takes a second to load

    if design.kind == "plackett-burman":
        if factors > MOST_PLACKETT_BURMAN:
            right = f'at most {MOST_PLACKETT_BURMAN}, or kind = "fractional-factorial" with runs = 32'
            raise ValueError(f"kind: found plackett-burman with {factors} axes; expected {right}")
        return np.asarray(pydoe.pbdesign(factors))
    if design.kind == "full-factorial":
        return np.asarray(pydoe.ff2n(factors))
    words = generated(design, factors)
    base = factors - len(words)
    letters = [chr(ord("a") + place) for place in range(base)]
    signed = [sign + "".join(letters[place] for place in sorted(word)) for sign, word in words]
    return np.asarray(pydoe.fracfact(" ".join([*letters, *signed])))


Word = frozenset[int]
"""The indices of the factors that a generator or a word of the defining relation multiplies."""


def generated(design: Design, factors: int) -> list[tuple[str, Word]]:
    """The generators of a fractional design: for each further factor its sign and its base factors."""
    if design.generators:
        return _given(design.generators, factors)
    if design.runs is not None:
        base = design.runs.bit_length() - 1
        if design.runs != 1 << base or not 2 <= base <= factors:
            most = 1 << factors
            raise ValueError(f"runs: found {design.runs}; expected a power of two from 4 to {most}")
        return [("", word) for word in generators_for(factors, base)]
    least = design.resolution or 0
    for base in range(2, min(factors, MOST_BASE_FACTORS) + 1):
        words = generators_for(factors, base) if factors < 1 << base else None
        if words is not None and resolution_of(words, base) >= least:
            return [("", word) for word in words]
    raise ValueError(f"resolution: found {least}; no design of {factors} factors in 4096 runs has it")


def _given(generators: Sequence[str], factors: int) -> list[tuple[str, Word]]:
    base = factors - len(generators)
    found: dict[int, tuple[str, Word]] = {}
    for text in generators:
        matched = re.fullmatch(r"\s*([A-Z])\s*=\s*([+-]?)\s*([A-Z]{2,})\s*", text)
        places = [LETTERS.find(letter) for letter in (matched[1] + matched[3] if matched else "")]
        defined, product = places[:1], frozenset(places[1:])
        if not product or not set(defined) <= set(range(base, factors)) or not product <= set(range(base)):
            free, rest = LETTERS[:base], LETTERS[base:factors]
            right = f"one of {', '.join(rest)} as a product of {', '.join(free)}"
            raise ValueError(f'generators: found "{text}"; expected {right}, as "{rest[0]} = {free}"')
        found[places[0]] = ("-" if "-" in text else "", product)
    if len(found) < len(generators):
        raise ValueError(f"generators: found {list(generators)}; expected each factor once")
    return [found[place] for place in sorted(found)]


def generators_for(factors: int, base: int) -> list[Word]:
    """The products of `base` factors that define the others, with the highest resolution found.

    Raises ValueError if there are too few products.
    """
    if factors - base > (1 << base) - base - 1:
        raise ValueError(f"runs: found {1 << base}, which are too few for {factors} factors")
    for resolution in range(base + 1, 3, -1):
        candidates = [
            frozenset(chosen)
            for size in range(resolution - 1, base + 1)
            for chosen in itertools.combinations(range(base), size)
        ]
        words = _extended([], [], candidates, resolution, factors - base, base, itertools.count())
        if words is not None:
            return words
    every = (itertools.combinations(range(base), size) for size in range(base, 1, -1))
    return [frozenset(word) for word in itertools.islice(itertools.chain(*every), factors - base)]


MOST_TRIED = 4000
"""The most products tried for one resolution; a design of more than 11 factors may have a higher one."""


def _extended(
    words: list[Word],
    relation: list[Word],
    candidates: list[Word],
    resolution: int,
    missing: int,
    factor: int,
    tried: Iterator[int],
) -> list[Word] | None:
    """The generators completed by a depth-first search; None if it finds no completion."""
    if not missing:
        return words
    for place, word in enumerate(candidates[: len(candidates) - missing + 1]):
        if next(tried) > MOST_TRIED:
            return None
        whole = word | {factor}
        new = [whole, *(other ^ whole for other in relation)]
        if all(len(each) >= resolution for each in new):
            rest, both = candidates[place + 1 :], [*relation, *new]
            found = _extended([*words, word], both, rest, resolution, missing - 1, factor + 1, tried)
            if found is not None:
                return found
    return None


def resolution_of(words: Sequence[Word], base: int) -> int:
    """The length of the shortest word of the defining relation.

    Without a word, one more than the number of factors.
    """
    relation: list[Word] = []
    for factor, word in enumerate(words, start=base):
        whole = word | {factor}
        relation += [whole, *(other ^ whole for other in relation)]
    return min(map(len, relation), default=base + 1)


@dataclass(frozen=True)
class Reader:
    """Reads `[design]` and `[ranges]`.

    `wrong` makes an error of the key, the value found and the values allowed.
    """

    wrong: Callable[[str, object, str], InputError]

    def design(self, table: Mapping[str, object], axes: int, ranges: int) -> Design:
        """The design of a plan with this many axes and ranges. Raises InputError."""
        for key in table:
            if key not in KEYS:
                close = nearest(key, KEYS)
                raise self.wrong(f"design.{key}", table[key], f"one of {', '.join(KEYS)}" + _meant(close))
        kind = table.get("kind")
        if not isinstance(kind, str) or kind not in KINDS:
            close = nearest(kind, KINDS) if isinstance(kind, str) else None
            raise self.wrong("design.kind", kind, f"one of {', '.join(KINDS)}" + _meant(close))
        design = self._sampled(kind, table) if kind in SAMPLED else self._two_level(kind, table)
        if design.is_two_level and (ranges or not 2 <= axes <= len(LETTERS)):
            found = "ranges" if ranges else f"{axes} axes"
            raise self.wrong("design", found, f"2 to {len(LETTERS)} axes of two values for a {kind} design")
        if not design.is_two_level and not ranges:
            raise self.wrong("ranges", None, f"a table of ranges to sample for a {kind} design")
        return design

    def _two_level(self, kind: str, table: Mapping[str, object]) -> Design:
        allowed = ("runs", "resolution", "generators") if kind == "fractional-factorial" else ()
        given = [key for key in KEYS if key in table and key != "kind"]
        if any(key not in allowed for key in given) or (allowed and len(given) != 1):
            right = f"exactly one of {', '.join(allowed)}" if allowed else f"no option with {kind}"
            raise self.wrong("design", ", ".join(given) or "no option", right)
        generators = table.get("generators", [])
        if not isinstance(generators, list) or not all(isinstance(text, str) for text in generators):
            raise self.wrong("design.generators", generators, 'a list of texts, as ["E = ABCD"]')
        return Design(
            kind, self._number(table, "runs", 4), self._number(table, "resolution", 3), tuple(generators)
        )

    def _sampled(self, kind: str, table: Mapping[str, object]) -> Design:
        for key in ("runs", "resolution", "generators"):
            if key in table:
                raise self.wrong(f"design.{key}", table[key], f"samples, for a {kind} design")
        samples = self._number(table, "samples", 2)
        power = samples is not None and samples & (samples - 1) == 0
        if samples is None or samples > MOST_SAMPLES or (kind != "latin-hypercube" and not power):
            kinds = "a whole number" if kind == "latin-hypercube" else "a power of two"
            raise self.wrong("design.samples", samples, f"{kinds} from 2 to {MOST_SAMPLES}")
        return Design(kind, samples=samples, seed=self._number(table, "seed", 0) or 0)

    def _number(self, table: Mapping[str, object], key: str, least: int) -> int | None:
        if key not in table:
            return 1 if key == "seed" else None
        value = table[key]
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise self.wrong(f"design.{key}", value, f"a whole number of at least {least}")
        return value

    def ranges(self, table: Mapping[str, object], before: str = "") -> Iterator[Range]:
        """The ranges of a plan, by dotted paths."""
        for key, value in table.items():
            path = f"{before}{key}"
            if isinstance(value, Mapping) and not {"low", "high"} & set(value):
                yield from self.ranges(value, f"{path}.")
            else:
                yield self._range(path, value)

    def _range(self, path: str, value: object) -> Range:
        example = '{ low = "1 Mbit/s", high = "100 Mbit/s", scale = "log" }'
        if not isinstance(value, Mapping) or not {"low", "high"} <= set(value) <= {"low", "high", "scale"}:
            raise self.wrong(f"ranges.{path}", value, f"a table as {example}")
        bounds = [_quantity(value[key]) for key in ("low", "high")]
        scale = value.get("scale", "linear")
        if scale not in ("linear", "log"):
            raise self.wrong(f"ranges.{path}.scale", scale, '"linear" or "log"')
        (low, unit, whole), (high, other, also) = bounds
        least = 0.0 if scale == "log" else -math.inf
        if not (least < low < high < math.inf) or unit != other:
            raise self.wrong(f"ranges.{path}", value, "a low bound below the high one, in the same unit")
        return Range(path, low, high, unit, scale == "log", whole and also)


def _quantity(value: object) -> tuple[float, str, bool]:
    """The number, its unit, and True if only whole numbers are meant; NaN for a text that is not a number."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value), "", isinstance(value, int)
    matched = re.fullmatch(r"\s*([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(\D.*)?", str(value), re.IGNORECASE)
    if matched is None or isinstance(value, bool):
        return math.nan, "", False
    unit = (matched[2] or "").strip()
    return float(matched[1]), unit, unit in ("packets", "packet", "bytes", "byte")


def _meant(close: str | None) -> str:
    return f'; did you mean "{close}"?' if close else ""
