"""The sums of a paper's statements: by verdict, by cause, and those outside the sum by class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ackclock.papers.classes import BESIDE, CAUSES
from ackclock.papers.judge import NOT_RUN, STATEMENT_VERDICTS
from ackclock.papers.statements import Statement

__all__ = ["Tally", "tally", "total"]


@dataclass(frozen=True)
class Tally:
    """The number of statements with each verdict; each statement counts once."""

    verdicts: Mapping[str, int]
    """Statements of the paper by verdict: the sum."""
    causes: Mapping[str, int] = field(default_factory=dict)
    """Those that were not reproduced by cause."""
    beside: Mapping[str, int] = field(default_factory=dict)
    """Claims of the other classes, which are not in the sum."""
    not_run: int = 0
    """Statements that the quick check leaves out."""

    @property
    def statements(self) -> int:
        """The number of statements in the sum."""
        return sum(self.verdicts.values()) + self.not_run

    @property
    def unexplained(self) -> int:
        """Statements that were not reproduced and have no cause."""
        return self.verdicts["not reproduced"] - sum(self.causes.values())

    def words(self) -> str:
        """The sums in one line."""
        causes = _listed(self.causes) + (f", {self.unexplained} without a cause" if self.unexplained else "")
        counted = {
            kind: kind + (f" ({causes.removeprefix(', ')})" if kind == "not reproduced" else "")
            for kind in STATEMENT_VERDICTS
        }
        found = ", ".join(f"{number} {counted[kind]}" for kind, number in self.verdicts.items() if number)
        if self.not_run:
            found = f"{found + ', ' if found else ''}{self.not_run} not run in the quick check"
        beside = _listed(self.beside)
        head = f"{self.statements} statement{'s' * (self.statements != 1)}: {found}"
        if not self.statements:
            head = "no statement in the sum"
        return head + (f"; not in the sum: {beside}" if beside else "")

    def document(self) -> dict[str, dict[str, int]]:
        """The sums as a JSON object."""
        sums: dict[str, dict[str, int]] = {
            "verdicts": dict(self.verdicts),
            "causes": dict(self.causes),
            "beside": dict(self.beside),
        }
        return sums | ({"left_out": {NOT_RUN: self.not_run}} if self.not_run else {})


def tally(statements: Iterable[Statement]) -> Tally:
    """The sums of some statements."""
    every = list(statements)
    counted = [one for one in every if one.counts]
    failed = [one for one in counted if one.verdict == "not reproduced"]
    return Tally(
        {kind: sum(one.verdict == kind for one in counted) for kind in STATEMENT_VERDICTS},
        {kind: sum(one.cause is not None and one.cause.kind is kind for one in failed) for kind in CAUSES},
        {kind: sum(one.claim_class is kind for one in every) for kind in BESIDE},
        sum(one.verdict == NOT_RUN for one in counted),
    )


def total(tallies: Sequence[Tally]) -> Tally:
    """The sums of several papers."""
    return Tally(
        {kind: sum(one.verdicts[kind] for one in tallies) for kind in STATEMENT_VERDICTS},
        {kind: sum(one.causes[kind] for one in tallies) for kind in CAUSES},
        {kind: sum(one.beside[kind] for one in tallies) for kind in BESIDE},
        sum(one.not_run for one in tallies),
    )


def _listed(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in numbers.items() if number)
