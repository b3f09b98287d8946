"""The protocol of a sweep that figures and reports read, so that a sweep can call them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import polars as pl

from ackclock.sweeps.plan import Plan

__all__ = ["SweepRecord"]


class SweepRecord(Protocol):
    """The finished runs of a plan. `ackclock.Sweep` is one."""

    @property
    def plan(self) -> Plan:
        """The plan."""

    @property
    def runs(self) -> pl.DataFrame:
        """One row per run."""

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """The tables that the plan keeps."""

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C ended it before every run was done."""

    @property
    def new_runs(self) -> int:
        """The number of runs that were not in the store before."""

    @property
    def summary(self) -> pl.DataFrame:
        """The mean over seeds with its 95 % interval, per point, label and metric."""

    @property
    def measured(self) -> list[str]:
        """The columns of `runs` that hold measurements."""
