"""The protocol of a comparison that reports read, so that reports do not depend on how runs are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import polars as pl

from ackclock._native import Scenario
from ackclock.measures.record import RunRecord

__all__ = ["ComparisonRecord"]


class ComparisonRecord(Protocol):
    """Runs of one scenario, one per label and seed, with statistics. `ackclock.Comparison` is one."""

    @property
    def scenario(self) -> Scenario:
        """The scenario as given; labels replace its algorithm."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the algorithms compared, in order."""

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds, in order."""

    @property
    def results(self) -> Sequence[RunRecord]:
        """The runs by label and seed."""

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C ended it before every run was done."""

    @property
    def runs(self) -> pl.DataFrame:
        """One row per run: label, seed and every metric in base units."""

    @property
    def summary(self) -> pl.DataFrame:
        """The mean over seeds with its 95 % interval, per label and metric."""

    @property
    def differences(self) -> pl.DataFrame:
        """The mean paired difference with its 95 % interval, per metric and pair of labels."""

    @property
    def bottleneck(self) -> str:
        """The name of the bottleneck, a link direction."""

    @property
    def seeds_alike(self) -> bool:
        """True if there are several seeds, and all gave equal numbers."""

    @property
    def recoveries(self) -> Mapping[str, str]:
        """The loss recovery of each label, or its transport other than TCP."""

    @property
    def competitors(self) -> Mapping[str, tuple[str, ...]]:
        """The competitors that share a bottleneck, with the names of their groups of flows.

        Empty in most comparisons.
        """

    @property
    def shared_run(self) -> RunRecord | None:
        """The first run that all competitors share."""

    @property
    def competition_summary(self) -> pl.DataFrame:
        """The mean over seeds with its 95 % interval, per competitor and quantity, in the runs they share."""

    @property
    def is_comparison(self) -> bool:
        """True if there is more than one label."""

    def result(self, label: str, seed: int | None = None) -> RunRecord:
        """One run; without `seed`, the first run of the label."""

    def table(self, name: str) -> pl.DataFrame:
        """One table over all runs, with the columns `label` and `seed` in front."""
