"""The protocol of a finished run that measures read, so that measures do not depend on how runs are made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
import polars as pl

from ackclock._native import Scenario

__all__ = ["RunRecord"]


class RunRecord(Protocol):
    """The tables of one simulation with its scenario. `ackclock.Result` is one."""

    @property
    def scenario(self) -> Scenario:
        """The scenario, its seed included."""

    @property
    def label(self) -> str:
        """The name of the run in a comparison."""

    @property
    def seed(self) -> int:
        """The seed of all random streams."""

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """All tables by name."""

    def columns(self, name: str) -> Mapping[str, np.ndarray | list[str]]:
        """The columns of a table by name, without a data frame: arrays of numbers, lists of texts."""

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
        """The queue of each link direction over time."""

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
        """Timeouts of each flow by their number in a row."""

    @property
    def epochs(self) -> pl.DataFrame:
        """Epochs of each flow by the number of packets that it sent in them."""

    @property
    def users(self) -> pl.DataFrame:
        """One row per user of a pool of connections."""

    @property
    def pages(self) -> pl.DataFrame:
        """One row per page that a user asked for."""

    @property
    def events(self) -> int:
        """The number of events that the engine handled."""

    @property
    def cpu_s(self) -> float:
        """The processor seconds that the simulation took."""

    @property
    def conserved(self) -> bool:
        """True if every packet sent was delivered, dropped or in flight at the end."""
