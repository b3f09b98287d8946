"""Statements that the source of an algorithm makes for it, judged by the published league.

`claims.toml` has the statements and the rules; a rule bounds one value of the league. The verdict holds if
the whole interval over seeds is within the bound, fails if none of it is, and is undecided otherwise.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ackclock.evaluation.criteria import CRITERIA
from ackclock.evaluation.criterion import Measure
from ackclock.evaluation.sentences import shown
from ackclock.measures.verdict import Outcome, Verdict

__all__ = ["Claim", "judged", "measure_at", "read_claims", "values_at"]

FILE = Path(__file__).with_name("claims.toml")

Documents = Mapping[str, Mapping[str, Any]]
"""The published documents by contender."""


@dataclass(frozen=True)
class Claim:
    """A statement about one contender, and the value of the league that decides it."""

    contender: str
    statement: str
    source: str
    value: str
    """`CRITERION/SETTING/MEASURE`."""
    is_least: bool
    """True if the bound is a lower one."""
    bound: float
    """The bound in base units, or as a multiple of the value of `of`."""
    of: str | None = None


def read_claims(file: Path = FILE) -> tuple[Claim, ...]:
    """All claims in the order of the file. Raises KeyError if a claim has no bound."""
    rows = tomllib.loads(file.read_text(encoding="utf-8"))["claim"]
    return tuple(_claim(row) for row in rows)


def _claim(row: dict[str, Any]) -> Claim:
    is_least = "at_least" in row
    bound = row["at_least" if is_least else "at_most"]
    words = {key: row[key] for key in ("contender", "statement", "source", "value")}
    if isinstance(bound, dict):
        return Claim(**words, is_least=is_least, bound=bound["times"], of=bound["of"])
    return Claim(**words, is_least=is_least, bound=bound)


def judged(claim: Claim, documents: Documents) -> Verdict:
    """The verdict on a claim. Raises LookupError if its value is not published."""
    measure = measure_at(claim.value)
    own = values_at(documents[claim.contender], claim.value)
    bound, words = claim.bound, ""
    if claim.of is not None:
        bound *= values_at(documents[claim.of], claim.value)[0]
        words = f", {claim.bound:g} times that of `{documents[claim.of]['algorithm']}`"
    return Verdict(
        what=claim.statement,
        finding=_between(measure, own),
        expectation=f"at {'least' if claim.is_least else 'most'} {shown(measure, bound)}{words}",
        outcome=_outcome(own, bound, is_least=claim.is_least),
    )


def _outcome(value: tuple[float, float, float], bound: float, *, is_least: bool) -> Outcome:
    _, low, high = value
    if not (math.isfinite(low) and math.isfinite(high)):
        return Outcome.UNDECIDED
    worst, best = (low, high) if is_least else (-high, -low)
    limit = bound if is_least else -bound
    if worst >= limit:
        return Outcome.HOLDS
    return Outcome.FAILS if best < limit else Outcome.UNDECIDED


def values_at(document: Mapping[str, Any], place: str) -> tuple[float, float, float]:
    """The mean of a value of a document and the ends of its interval; NaN for a missing one."""
    criterion, setting, measure = _parts(place)
    (one,) = [each for each in document["criteria"] if each["key"] == criterion] or [None]
    cells = [cell for cell in one["cells"] if cell["name"] == setting] if one else []
    if not cells or measure not in cells[0]["values"]:
        raise LookupError(f"{document['algorithm']} has no value at {place}")
    mean, low, high = (math.nan if each is None else each for each in cells[0]["values"][measure])
    return mean, low, high


def measure_at(place: str) -> Measure:
    """The measure of a value. Raises LookupError."""
    criterion, _, measure = _parts(place)
    for known in CRITERIA:
        for each in known.measures:
            if (known.key, each.key) == (criterion, measure):
                return each
    raise LookupError(f"no criterion has the measure of {place}")


def _parts(place: str) -> tuple[str, str, str]:
    criterion, rest = place.split("/", 1)
    setting, _, measure = rest.rpartition("/")
    return criterion, setting, measure


def _between(measure: Measure, value: tuple[float, float, float]) -> str:
    mean, low, high = value
    if not (math.isfinite(low) and math.isfinite(high)) or low == high:
        return shown(measure, mean)
    return f"{shown(measure, mean)} [{shown(measure, low)}, {shown(measure, high)}]"
