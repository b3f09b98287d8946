"""Claims of a paper and how they are judged: the rule is fixed in a file before anything is measured."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, cast

from ackclock import statistics
from ackclock.errors import InputError

__all__ = [
    "VERDICTS",
    "Claim",
    "Holds",
    "Measured",
    "Ordered",
    "Undecidable",
    "Values",
    "Verdict",
    "judge",
    "read_claim",
    "read_table",
]

REPRODUCED: Literal["reproduced"] = "reproduced"
NOT_REPRODUCED: Literal["not reproduced"] = "not reproduced"
UNDECIDED: Literal["cannot be decided"] = "cannot be decided"
VERDICTS = (REPRODUCED, NOT_REPRODUCED, UNDECIDED)


@dataclass(frozen=True)
class Claim:
    """One statement of a paper and the rule that decides on it."""

    id: str
    place: str
    """Where it stands, e.g. "V, figure 5"."""
    statement: str
    kind: Literal["value", "range", "order", "predicate"]
    expected: float | tuple[float, float] | tuple[str, ...] | str
    """A number; bounds; names from highest to lowest; or words for what should hold."""
    why: str
    """Why the tolerance is what it is."""
    unit: str = ""
    tolerance: float = 0.0
    """For a value: the largest distance that still counts, in `unit`. For an order: the least difference."""
    at_least: float = 1.0
    """For a predicate: the share of trials in which it must hold."""
    or_in_spread: bool = False
    """For a value: whether it is enough that the expected number lies among those of `Values.spread`."""
    decimals: int | None = None
    """For a value: the decimals that the paper prints, to which what is measured is rounded when compared."""

    @property
    def expectation(self) -> str:
        """What is expected, in words."""
        unit = f" {self.unit}" if self.unit else ""
        if self.kind == "value":
            other = ", or in the range of the varied runs" if self.or_in_spread else ""
            digits = f" at {self.decimals} decimals" if self.decimals is not None else ""
            return f"{self.expected:g} ± {self.tolerance:g}{unit}{digits}{other}"
        if isinstance(self.expected, str):
            share = f" (in {self.at_least:.0%} of the trials or more)" if self.at_least < 1 else ""
            return self.expected + share
        if self.kind == "range":
            low, high = cast("tuple[float, float]", self.expected)
            return f"{low:g} to {high:g}{unit}"
        margin = f", each by more than {self.tolerance:g}{unit}" if self.tolerance else ""
        return " > ".join(cast("tuple[str, ...]", self.expected)) + margin


@dataclass(frozen=True)
class Values:
    """Independent measurements of one number, in the claim's unit; one suffices where nothing is random."""

    samples: Sequence[float]
    note: str = ""
    spread: Sequence[float] = ()
    """The same number from runs under variation (other start times, say), of which the range is told."""


@dataclass(frozen=True)
class Ordered:
    """Measurements of each name, paired by position (the same seed at the same place in every sequence)."""

    samples: Mapping[str, Sequence[float]]
    note: str = ""


@dataclass(frozen=True)
class Holds:
    """Trials of a statement that is true or false, with a number that shows by how much, if there is one."""

    outcomes: Sequence[bool]
    number: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Undecidable:
    """The claim cannot be tested; `note` says why."""

    note: str


Measured = Values | Ordered | Holds | Undecidable


@dataclass(frozen=True)
class Verdict:
    """What became of a claim."""

    claim: Claim
    verdict: Literal["reproduced", "not reproduced", "cannot be decided"]
    measured: float | Mapping[str, float] | None
    """The mean; means by name; the share of trials, or the number given with them.

    None if nothing was measured.
    """
    interval: tuple[float, float] | None
    """The 95 % interval; for an order, of the smallest adjacent difference. None for a single measurement."""
    note: str = ""
    words: str = ""
    """What was measured, where a number alone says too little."""
    n: int = 0
    """How many independent measurements or trials there are; for an order, of each name."""
    intervals: Mapping[str, tuple[float, float] | None] = field(default_factory=dict)
    """For an order, of each name's mean."""

    @property
    def finding(self) -> str:
        """What was measured, in words: 95 % intervals in brackets, and how many measurements, if several."""
        if self.measured is None:
            return "–"
        return self._found() + (f"; n = {self.n}" if self.n > 1 else "")

    def _found(self) -> str:
        if self.words:
            return self.words
        unit = f" {self.claim.unit}" if self.claim.unit else ""
        if not isinstance(self.measured, Mapping):
            return _bracketed(cast("float", self.measured), self.interval) + unit
        ranked = sorted(self.measured.items(), key=lambda item: -item[1])
        means = ", ".join(f"{name} {_bracketed(mean, self.intervals.get(name))}" for name, mean in ranked)
        if self.interval is None:
            return means + unit
        names = cast("tuple[str, ...]", self.claim.expected)
        least = min(self.measured[above] - self.measured[below] for above, below in pairwise(names))
        which = "least difference" if len(names) > 2 else "difference"
        return f"{means}{unit}; {which} {_bracketed(least, self.interval)}"

    def document(self) -> dict[str, object]:
        """The verdict for JSON."""
        claim = self.claim
        return {
            "id": claim.id,
            "place": claim.place,
            "statement": claim.statement,
            "expected": claim.expected if isinstance(claim.expected, float | str) else list(claim.expected),
            "expectation": claim.expectation,
            "unit": claim.unit,
            "tolerance": claim.tolerance,
            "why": claim.why,
            "measured": dict(self.measured) if isinstance(self.measured, Mapping) else self.measured,
            "interval": list(self.interval) if self.interval else None,
            "intervals": {name: list(interval) for name, interval in self.intervals.items() if interval},
            "n": self.n,
            "verdict": self.verdict,
            "note": self.note,
        }


def _short(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def _bracketed(value: float, interval: tuple[float, float] | None) -> str:
    """A number with its interval, if anything is random in it."""
    if interval is None or interval[0] == interval[1]:
        return _short(value)
    return f"{_short(value)} [{_short(interval[0])}, {_short(interval[1])}]"


def judge(claim: Claim, measured: Measured | None) -> Verdict:
    """The verdict on a claim. Raises TypeError when something else was measured than the claim asks for.

    A claim stands if the whole 95 % interval meets its rule, falls if the whole interval breaks it, and
    otherwise cannot be decided: more seeds would tell.
    """
    if measured is None:
        return Verdict(claim, UNDECIDED, None, None, "nothing was measured for this claim")
    if isinstance(measured, Undecidable):
        return Verdict(claim, UNDECIDED, None, None, measured.note)
    if isinstance(measured, Values) and claim.kind in ("value", "range"):
        return _judge_values(claim, measured)
    if isinstance(measured, Ordered) and claim.kind == "order":
        return _judge_order(claim, measured)
    if isinstance(measured, Holds) and claim.kind == "predicate":
        return _judge_predicate(claim, measured)
    raise TypeError(f"claim {claim.id} is a {claim.kind}; it cannot be judged by {type(measured).__name__}")


def _bounds(interval: statistics.Interval) -> tuple[float, float] | None:
    return None if math.isnan(interval.low) else (interval.low, interval.high)


def _judge_values(claim: Claim, measured: Values) -> Verdict:
    if claim.kind == "value":
        expected = cast("float", claim.expected)
        least, most = _printed(claim, expected - claim.tolerance), _printed(claim, expected + claim.tolerance)
    else:
        least, most = cast("tuple[float, float]", claim.expected)
    interval = statistics.mean_interval(measured.samples)
    low, high = (_printed(claim, bound) for bound in _bounds(interval) or (interval.estimate,) * 2)
    note = _both(_range_of(measured.spread), measured.note)
    inside = (least <= low and high <= most) or _in_spread(claim, measured)
    outside = high < least or low > most
    if not inside and not outside:
        note = _both("the interval reaches over a bound; more seeds would tell", note)
    return Verdict(
        claim,
        REPRODUCED if inside else NOT_REPRODUCED if outside else UNDECIDED,
        interval.estimate,
        _bounds(interval),
        note,
        n=len(measured.samples),
    )


def _in_spread(claim: Claim, measured: Values) -> bool:
    if not (claim.or_in_spread and measured.spread):
        return False
    values = [_printed(claim, value) for value in measured.spread]
    return min(values) <= cast("float", claim.expected) <= max(values)


def _printed(claim: Claim, value: float) -> float:
    """A number with the decimals of the claim's paper."""
    return value if claim.decimals is None else round(value, claim.decimals)


def _range_of(spread: Sequence[float]) -> str:
    if not spread:
        return ""
    return f"{_short(min(spread))} to {_short(max(spread))} over {len(spread)} varied runs"


def _both(first: str, second: str) -> str:
    return "; ".join(text for text in (first, second) if text)


def _judge_order(claim: Claim, measured: Ordered) -> Verdict:
    names = cast("tuple[str, ...]", claim.expected)
    missing = [name for name in names if name not in measured.samples]
    if missing:
        raise TypeError(f"claim {claim.id} orders {', '.join(missing)}, for which nothing was measured")
    means = {name: statistics.mean_interval(measured.samples[name]) for name in names}
    steps = [
        (statistics.paired_difference(measured.samples[above], measured.samples[below]), above, below)
        for above, below in pairwise(names)
    ]
    smallest = min(steps, key=lambda step: step[0].estimate)[0]
    spans = [(_bounds(step) or (step.estimate, step.estimate), above, below) for step, above, below in steps]
    wrong = [f"{above} is not above {below}" for (_, high), above, below in spans if high <= claim.tolerance]
    open_ = [f"{above} and {below}" for (low, high), above, below in spans if low <= claim.tolerance < high]
    apart = f"not told apart at 95 %: {', '.join(open_)}" if open_ else ""
    return Verdict(
        claim,
        NOT_REPRODUCED if wrong else UNDECIDED if open_ else REPRODUCED,
        {name: mean.estimate for name, mean in means.items()},
        _bounds(smallest),
        _both("; ".join(wrong) or apart, measured.note),
        n=smallest.n,
        intervals={name: _bounds(mean) for name, mean in means.items()},
    )


def _judge_predicate(claim: Claim, measured: Holds) -> Verdict:
    n = len(measured.outcomes)
    held = sum(bool(outcome) for outcome in measured.outcomes)
    share = statistics.proportion_interval(held, n)
    number = share.estimate if measured.number is None else measured.number
    verdict = REPRODUCED if held >= claim.at_least * n else NOT_REPRODUCED
    words = "held" if held else "did not hold"
    if n > 1:
        words = f"held in {held} of {n} trials"
    if measured.number is not None:
        words = f"{_short(number)}{f' {claim.unit}' if claim.unit else ''}, {words}"
    interval = (share.low, share.high) if n > 1 else None
    if interval:
        words += f", {share.estimate:.0%} [{share.low:.0%}, {share.high:.0%}]"
    return Verdict(claim, verdict, number, interval, measured.note, words)


_KEYS = {
    "id", "place", "statement", "kind", "expected", "why", "unit",
    "tolerance", "relative_tolerance", "at_least", "or_in_spread", "decimals",
}  # fmt: skip
_TABLE_KEYS = {
    "id", "place", "statement", "columns", "rows", "why", "unit", "tolerance", "spread", "decimals",
}  # fmt: skip


def read_claim(row: Mapping[str, object], where: str) -> Claim:
    """A claim from a table of claims.toml. Raises InputError."""
    name = f"{where}: claim {row.get('id', '?')}"
    for key in sorted(set(row) - _KEYS):
        raise InputError(f"{name}: unknown key {key} (there are: {', '.join(sorted(_KEYS))})")
    for key in ("id", "place", "statement", "kind", "expected", "why"):
        if key not in row:
            raise InputError(f"{name}: {key} is missing")
    kind = row["kind"]
    if kind not in ("value", "range", "order", "predicate"):
        raise InputError(f"{name}: kind is {kind!r}; it must be value, range, order or predicate")
    expected = _expected(kind, row["expected"], name)
    tolerance = _number(row.get("tolerance", 0), f"{name}: tolerance")
    if "relative_tolerance" in row:
        if not isinstance(expected, float):
            raise InputError(f"{name}: relative_tolerance needs an expected number")
        tolerance = _number(row["relative_tolerance"], f"{name}: relative_tolerance") * abs(expected)
    return Claim(
        id=str(row["id"]),
        place=str(row["place"]),
        statement=" ".join(str(row["statement"]).split()),
        kind=kind,
        expected=expected,
        why=" ".join(str(row["why"]).split()),
        unit=str(row.get("unit", "")),
        tolerance=tolerance,
        at_least=_number(row.get("at_least", 1.0), f"{name}: at_least"),
        or_in_spread=row.get("or_in_spread") is True,
        decimals=_decimals(row.get("decimals"), f"{name}: decimals"),
    )


def read_table(table: Mapping[str, Any], where: str) -> list[Claim]:
    """The claims of a published table, one value for each cell, row by row. Raises InputError.

    `columns` maps a key to a title, `rows` are tables of `id`, `title` and the row's `values`; a cell's
    claim is called `<table>-<row>-<column>`. `spread` names cells, `<row>-<column>`, for which `or_in_spread`
    holds.
    """
    name = f"{where}: table {table.get('id', '?')}"
    for key in sorted(set(table) - _TABLE_KEYS):
        raise InputError(f"{name}: unknown key {key} (there are: {', '.join(sorted(_TABLE_KEYS))})")
    for key in sorted({"id", "place", "statement", "columns", "rows", "why"} - set(table)):
        raise InputError(f"{name}: {key} is missing")
    columns: Mapping[str, str] = table["columns"]
    claims = []
    spread = set(table.get("spread", ()))
    for row in table["rows"]:
        if len(row.get("values", ())) != len(columns):
            raise InputError(f"{name}: row {row.get('id', '?')} must have {len(columns)} values")
        for (column, title), value in zip(columns.items(), row["values"], strict=True):
            cell = f"{row['id']}-{column}"
            claim = {
                "id": f"{table['id']}-{cell}",
                "place": table["place"],
                "statement": f"{row['title']}, {title}: {table['statement']} {value}.",
                "kind": "value",
                "expected": value,
                "why": table["why"],
                "unit": table.get("unit", ""),
                "tolerance": table.get("tolerance", 0),
                "or_in_spread": cell in spread,
                "decimals": table.get("decimals"),
            }
            claims.append(read_claim(claim, where))
            spread.discard(cell)
    if spread:
        raise InputError(f"{name}: spread names {', '.join(sorted(spread))}, which it does not have")
    return claims


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{name} is {value!r}; it must be a number")
    return float(value)


def _decimals(value: object, name: str) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise InputError(f"{name} is {value!r}; it must be a whole number, 0 or more")
    return value


def _expected(kind: object, value: object, name: str) -> float | tuple[float, float] | tuple[str, ...] | str:
    if kind == "value":
        return _number(value, f"{name}: expected")
    if kind == "predicate":
        return str(value)
    if not isinstance(value, list) or len(value) < 2:
        raise InputError(f"{name}: expected is {value!r}; a {kind} needs a list of two or more")
    if kind == "order":
        return tuple(str(item) for item in value)
    if len(value) > 2:
        raise InputError(f"{name}: expected is {value!r}; a range has two bounds")
    return (_number(value[0], f"{name}: expected"), _number(value[1], f"{name}: expected"))
