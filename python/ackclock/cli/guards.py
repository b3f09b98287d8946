"""The guards of `ackclock compare` and `ackclock run`, read before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.errors import InputError
from ackclock.measures.guards import (
    Guard,
    against_baseline,
    baseline_summary,
    read_guard,
    read_tolerance,
)

if TYPE_CHECKING:
    import polars as pl

    from ackclock.runs.result import Comparison

__all__ = ["Guards"]


@dataclass(frozen=True)
class Guards:
    """Conditions under which a command ends with 1."""

    conditions: tuple[Guard, ...] = ()
    baseline: pl.DataFrame | None = None
    """The means of an earlier comparison."""
    tolerance: float = 0.0

    @staticmethod
    def read(conditions: Sequence[str], baseline: Path | None, tolerance: str | None) -> Guards:
        """Reads the options. The baseline is read now, since the command may replace its folder."""
        if tolerance is not None and baseline is None:
            raise InputError("--tolerance is about a baseline: name its folder with --baseline")
        try:
            read = tuple(map(read_guard, conditions))
        except InputError as error:
            raise InputError(f"--fail-if: {error}") from None
        try:
            means = None if baseline is None else baseline_summary(baseline)
            return Guards(read, means, 0.0 if tolerance is None else read_tolerance(tolerance))
        except InputError as error:
            raise InputError(f"--baseline, --tolerance: {error}") from None

    def failures(self, comparison: Comparison) -> list[str]:
        """A line for each condition that holds, and for each difference from the baseline."""
        found = [
            line
            for guard in self.conditions
            for line in guard.findings(comparison.summary, comparison.labels)
        ]
        if self.baseline is not None:
            found += against_baseline(comparison.summary, comparison.labels, self.baseline, self.tolerance)
        return found
