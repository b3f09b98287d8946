"""What a measure reads of a simulation, so that measures need not know how simulations are run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import polars as pl

from ackclock._native import Scenario

__all__ = ["RunRecord"]


class RunRecord(Protocol):
    """The tables of one simulation, and the scenario that was simulated. `ackclock.Result` is one."""

    @property
    def scenario(self) -> Scenario:
        """The scenario, its seed included."""

    @property
    def label(self) -> str:
        """The name of the run among the runs that it is compared with."""

    @property
    def seed(self) -> int:
        """The seed of all random streams."""

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """All tables by name."""

    @property
    def flows(self) -> pl.DataFrame:
        """One row per flow."""

    @property
    def links(self) -> pl.DataFrame:
        """One row per link direction."""

    @property
    def flow_series(self) -> pl.DataFrame:
        """Window, round-trip time and rate of each flow over time."""

    @property
    def link_series(self) -> pl.DataFrame:
        """Queue of each link direction over time."""

    @property
    def network_series(self) -> pl.DataFrame:
        """All flows together over time."""

    @property
    def drops(self) -> pl.DataFrame:
        """One row per dropped packet."""

    @property
    def transfers(self) -> pl.DataFrame:
        """One row per file that a flow sent."""

    @property
    def transfer_classes(self) -> pl.DataFrame:
        """Files by size, in classes of powers of two."""

    @property
    def timeouts(self) -> pl.DataFrame:
        """Timeouts of each flow by how many there were in a row."""

    @property
    def epochs(self) -> pl.DataFrame:
        """In how many epochs each flow sent how many packets."""

    @property
    def users(self) -> pl.DataFrame:
        """One row per user of a pool of connections."""

    @property
    def pages(self) -> pl.DataFrame:
        """One row per page that a user asked for."""

    @property
    def events(self) -> int:
        """Events the engine handled."""

    @property
    def cpu_s(self) -> float:
        """Processor seconds the simulation took."""

    @property
    def conserved(self) -> bool:
        """Whether every packet sent was delivered, dropped or in flight at the end."""
