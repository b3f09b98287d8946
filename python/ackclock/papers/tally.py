"""The sums of a paper's statements: by verdict, by cause, and those beside the sum by class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ackclock.papers.classes import BESIDE, CAUSES
from ackclock.papers.judge import VERDICTS
from ackclock.papers.statements import Statement

__all__ = ["Tally", "tally", "total"]


@dataclass(frozen=True)
class Tally:
    """The number of statements with each verdict, of which each counts once."""

    verdicts: Mapping[str, int]
    """Statements of the paper by verdict: the sum."""
    causes: Mapping[str, int] = field(default_factory=dict)
    """Those that were not reproduced by cause."""
    beside: Mapping[str, int] = field(default_factory=dict)
    """Claims of the other classes, which are not in the sum."""

    @property
    def statements(self) -> int:
        """The number of statements in the sum."""
        return sum(self.verdicts.values())

    @property
    def unexplained(self) -> int:
        """Statements that were not reproduced and have no cause."""
        return self.verdicts["not reproduced"] - sum(self.causes.values())

    def words(self) -> str:
        """The sums in one line."""
        causes = _listed(self.causes) + (f", {self.unexplained} without a cause" if self.unexplained else "")
        counted = {
            kind: kind + (f" ({causes.removeprefix(', ')})" if kind == "not reproduced" else "")
            for kind in VERDICTS
        }
        found = ", ".join(f"{number} {counted[kind]}" for kind, number in self.verdicts.items() if number)
        beside = _listed(self.beside)
        head = f"{self.statements} statement{'s' * (self.statements != 1)}: {found or 'none'}"
        return head + (f"; beside the sum: {beside}" if beside else "")

    def document(self) -> dict[str, dict[str, int]]:
        """The sums as a JSON object."""
        return {"verdicts": dict(self.verdicts), "causes": dict(self.causes), "beside": dict(self.beside)}


def tally(statements: Iterable[Statement]) -> Tally:
    """The sums of some statements."""
    every = list(statements)
    counted = [one for one in every if one.counts]
    failed = [one for one in counted if one.verdict == "not reproduced"]
    return Tally(
        {kind: sum(one.verdict == kind for one in counted) for kind in VERDICTS},
        {kind: sum(one.cause is not None and one.cause.kind is kind for one in failed) for kind in CAUSES},
        {kind: sum(one.claim_class is kind for one in every) for kind in BESIDE},
    )


def total(tallies: Sequence[Tally]) -> Tally:
    """The sums of several papers."""
    return Tally(
        {kind: sum(one.verdicts[kind] for one in tallies) for kind in VERDICTS},
        {kind: sum(one.causes[kind] for one in tallies) for kind in CAUSES},
        {kind: sum(one.beside[kind] for one in tallies) for kind in BESIDE},
    )


def _listed(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in numbers.items() if number)
