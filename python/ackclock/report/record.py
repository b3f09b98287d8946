"""What a report draws: runs of one scenario with their statistics, however they were made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import polars as pl

from ackclock._native import Scenario
from ackclock.measures.record import RunRecord

__all__ = ["ComparisonRecord"]


class ComparisonRecord(Protocol):
    """Runs of one scenario: one per label and seed. `ackclock.Comparison` is one."""

    @property
    def scenario(self) -> Scenario:
        """The scenario as given; labels replace its algorithm."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of what is compared, in order."""

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds, in order."""

    @property
    def results(self) -> Sequence[RunRecord]:
        """The runs by label and seed."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it before every run was done."""

    @property
    def runs(self) -> pl.DataFrame:
        """One row per run: label, seed and every metric in base units."""

    @property
    def summary(self) -> pl.DataFrame:
        """Per label and metric the mean over seeds with its 95 % interval."""

    @property
    def differences(self) -> pl.DataFrame:
        """Per metric and two labels the mean paired difference with its 95 % interval."""

    @property
    def bottleneck(self) -> str:
        """The link direction where packets wait."""

    @property
    def seeds_alike(self) -> bool:
        """Whether all of several seeds gave the same numbers."""

    @property
    def is_comparison(self) -> bool:
        """Whether there is more than one label."""

    def result(self, label: str, seed: int | None = None) -> RunRecord:
        """One run; without `seed`, the first of that label."""

    def table(self, name: str) -> pl.DataFrame:
        """One of the tables over all runs, with the columns `label` and `seed` in front."""
