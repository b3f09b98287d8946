"""The guards of `ackclock compare` and `ackclock run`, read before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock.cli.options import Conditions
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
    def read(options: Conditions, *, trust: bool = False) -> Guards:
        """Reads the options, and the baseline, whose folder the command may replace. Raises InputError."""
        if options.tolerance is not None and options.baseline is None:
            raise InputError("--tolerance is about a baseline: name its folder with --baseline")
        try:
            read = tuple(map(read_guard, options.fail_if))
        except InputError as error:
            raise InputError(f"--fail-if: {error}") from None
        try:
            means = None if options.baseline is None else baseline_summary(options.baseline, trust=trust)
            return Guards(
                read, means, 0.0 if options.tolerance is None else read_tolerance(options.tolerance)
            )
        except InputError as error:
            raise InputError(f"--baseline, --tolerance: {error}") from None

    def check(self, labels: Sequence[str]) -> None:
        """Raises InputError for a condition on a label that the runs will not have."""
        try:
            for guard in self.conditions:
                guard.check(labels)
        except InputError as error:
            raise InputError(f"--fail-if: {error}") from None

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
