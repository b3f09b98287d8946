"""The report of a check: comparisons with their tolerances, each with a verdict, and a figure."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.figure import Figure

from ackclock.measures.verdict import Verdict

CONFIDENCE = 0.999
"""The confidence of the intervals over seeds: with some hundred comparisons, one choice of seeds in ten
refuses a correct simulator. The seeds are fixed, so a comparison that holds continues to hold."""


@dataclass(frozen=True)
class Report:
    """The result of one check."""

    key: str
    """Its name in files."""
    title: str
    verdicts: tuple[Verdict, ...]
    figure: Figure

    @property
    def holds(self) -> bool:
        """True if every comparison holds, and there is at least one."""
        return bool(self.verdicts) and all(verdict.holds for verdict in self.verdicts)
