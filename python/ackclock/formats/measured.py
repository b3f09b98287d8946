"""A measurement that another program made: series of flows, with the columns of a run's own series."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

__all__ = ["QUANTITIES", "Measured", "NothingMeasured", "series"]

QUANTITIES = (
    "goodput_bit_per_s", "cwnd_packets", "ssthresh_packets", "rtt_s", "srtt_s", "in_flight_packets",
    "retransmissions",
)  # fmt: skip
"""Columns that a measurement may have, with the meanings that they have in `flow_series`."""


class NothingMeasured(ValueError):  # noqa: N818 - the program failed, and its file is as it should be
    """A file says itself that its program could not measure."""


@dataclass(frozen=True)
class Measured:
    """Series of a measurement."""

    program: str
    """The program that measured, with its version where the file has it."""
    series: pl.DataFrame = field(repr=False)
    """One row per time and flow: `time_s` from the start, `flow`, a name, and the columns of `QUANTITIES`.

    A quantity that was not measured is null.
    """

    @property
    def flows(self) -> list[str]:
        """The names of the flows, in the order of the file."""
        return self.series["flow"].unique(maintain_order=True).to_list()

    def shifted(self, by_s: float) -> Measured:
        """Adds this to all times."""
        return replace(self, series=self.series.with_columns(pl.col("time_s") + by_s))

    def has(self, column: str) -> bool:
        """True if any flow has values of a quantity."""
        return self.series[column].drop_nulls().drop_nans().len() > 0


def series(rows: Sequence[Mapping[str, object]]) -> pl.DataFrame:
    """The series of rows that have `time_s`, `flow` and some of the quantities. Raises ValueError.

    A time may be before the start; a quantity is not negative, and null where it is not a number.
    """
    schema = {"time_s": pl.Float64, "flow": pl.String, **dict.fromkeys(QUANTITIES, pl.Float64)}
    try:
        table = pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=schema)
    except pl.exceptions.PolarsError as error:
        raise ValueError(" ".join(str(error).split())[:200]) from None
    table = table.with_columns(pl.col(QUANTITIES).fill_nan(None))
    for name in ("time_s", *QUANTITIES):
        least = -math.inf if name == "time_s" else 0.0
        for value in table.filter(~(pl.col(name).is_finite() & (pl.col(name) >= least)))[name]:
            raise ValueError(
                f"{name}: found {value}; expected a finite number{' from 0 on' * (least == 0.0)}"
            )
    return table
