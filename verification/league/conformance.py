"""The cases of specifications that algorithms meet, as `published/conformance/verdicts.json` has them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ackclock.scenarios.catalogue import list_algorithms

__all__ = ["Conforming", "Other", "of", "published"]

PUBLISHED = Path(__file__).resolve().parents[2] / "published" / "conformance" / "verdicts.json"

KINDS = ("recovery", "avoidance", "controller", "transport", "slow start")
"""The kinds of algorithms; the first of those that share a name is the one that the name alone selects."""


@dataclass(frozen=True)
class Other:
    """A case that does not hold."""

    case: str
    verdict: str
    finding: str
    reason: str


@dataclass(frozen=True)
class Conforming:
    """An algorithm by the cases of a specification."""

    algorithm: str
    specification: str
    cases: int
    hold: int
    others: tuple[Other, ...]
    findings: Mapping[str, str]
    """The findings on cases that hold, by their keys."""

    @property
    def held(self) -> str:
        """The cases that hold of all, as "8 of 9"."""
        return f"{self.hold} of {self.cases}"

    @property
    def fails(self) -> bool:
        """True if a case fails."""
        return any(other.verdict == "fails" for other in self.others)


def published(file: Path = PUBLISHED) -> tuple[Conforming, ...]:
    """All that were judged; none before the first publication."""
    if not file.is_file():
        return ()
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    return tuple(
        Conforming(**{**row, "others": tuple(Other(**other) for other in row["others"])}) for row in rows
    )


def of(kind: str, name: str, algorithm: str, rows: tuple[Conforming, ...]) -> tuple[Conforming, ...]:
    """The rows of a contender: those of its algorithm, and of its name if that alone selects its kind."""
    kinds = {entry.kind for entry in list_algorithms() if entry.name == name}
    is_selected = kind == next((each for each in KINDS if each in kinds), None)
    names = {algorithm, name} if is_selected else {algorithm}
    return tuple(row for row in rows if row.algorithm in names)
