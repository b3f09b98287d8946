"""Measurements of claims, and their form in JSON, from which they can be judged again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = [
    "Each",
    "Holds",
    "Measured",
    "Ordered",
    "Reported",
    "Undecidable",
    "Values",
    "read_measured",
    "written",
]


@dataclass(frozen=True)
class Values:
    """Independent measurements of one number, in the claim's unit; one suffices if nothing is random."""

    samples: Sequence[float]
    note: str = ""
    spread: Sequence[float] = ()
    """The number in runs under variation (of start times, say); the verdict reports its range."""


@dataclass(frozen=True)
class Each:
    """Measurements of one number at each load (or rate, delay, ..): by its name, a value per seed."""

    samples: Mapping[str, Sequence[float]]
    note: str = ""


@dataclass(frozen=True)
class Ordered:
    """Measurements of each name, paired by position: equal positions are of equal seeds."""

    samples: Mapping[str, Sequence[float]]
    note: str = ""


@dataclass(frozen=True)
class Holds:
    """Trials of a predicate, with a number that shows the margin, if there is one."""

    outcomes: Sequence[bool]
    number: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Undecidable:
    """A claim that cannot be tested; `note` gives the reason."""

    note: str


@dataclass(frozen=True)
class NotRun:
    """A claim that the quick check leaves out; `note` states which part of it is run."""

    note: str


@dataclass(frozen=True)
class Reported:
    """The verdict of a run whose measurements were not kept. It stands while the claim's rule is the same."""

    rule: str
    """`Claim.expectation` of that run."""
    holds: bool | None
    """None if the run did not decide."""
    finding: str
    note: str = ""


Measured = Values | Each | Ordered | Holds | Undecidable | NotRun | Reported


def written(measured: Measured) -> dict[str, Any]:
    """The measurement as a JSON object. The key of its numbers is the name of its type."""
    return _facts(measured) | ({"note": measured.note} if measured.note else {})


def _facts(measured: Measured) -> dict[str, Any]:
    match measured:
        case Values(samples, _, spread):
            return {"values": _numbers(samples), "spread": _numbers(spread)}
        case Each(by_name):
            return {"each": {name: _numbers(values) for name, values in by_name.items()}}
        case Ordered(by_name):
            return {"ordered": {name: _numbers(values) for name, values in by_name.items()}}
        case Holds(outcomes, number):
            found: dict[str, Any] = {"holds": [bool(outcome) for outcome in outcomes]}
            return found if number is None else found | {"number": _number(number)}
        case Reported(rule, holds, finding):
            return {"reported": finding, "rule": rule, "holds": holds}
        case Undecidable():
            return {"undecidable": True}
        case NotRun():
            return {"not_run": True}


def read_measured(document: Mapping[str, Any]) -> Measured:
    """The measurement of a JSON object that `written` made. Raises KeyError for another object."""
    note = str(document.get("note", ""))
    if "values" in document:
        return Values(_floats(document["values"]), note, _floats(document["spread"]))
    if "each" in document:
        return Each({name: _floats(values) for name, values in document["each"].items()}, note)
    if "ordered" in document:
        return Ordered({name: _floats(values) for name, values in document["ordered"].items()}, note)
    if "reported" in document:
        return Reported(document["rule"], document["holds"], document["reported"], note)
    if "holds" in document:
        number = document.get("number")
        return Holds(document["holds"], None if number is None else float(number), note)
    if "undecidable" in document:
        return Undecidable(note)
    if "not_run" in document:
        return NotRun(note)
    raise KeyError(f"no measurement: {', '.join(document) or 'empty'}")


def _numbers(samples: Sequence[float]) -> list[float | str] | dict[str, Any]:
    """The numbers; a number that all of several samples share is written once, with their count."""
    if len(samples) > 1 and len(set(samples)) == 1:
        return {"n": len(samples), "constant": _number(samples[0])}
    return [_number(value) for value in samples]


def _number(value: float) -> float | str:
    """A number; NaN and infinities, which JSON lacks, as text."""
    return float(value) if math.isfinite(value) else str(float(value))


def _floats(values: Sequence[float | str] | Mapping[str, Any]) -> list[float]:
    if isinstance(values, Mapping) and "constant" in values:
        return [float(values["constant"])] * int(values["n"])
    if isinstance(values, Mapping):  # a range: what a verdict says of varied runs
        return [float(values["low"])] * (int(values["n"]) - 1) + [float(values["high"])]
    return [float(value) for value in values]
