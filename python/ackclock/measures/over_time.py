"""The series of a flow at every sample of a run, also where the flow does not live and has no row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ackclock.measures.record import RunRecord

__all__ = ["goodputs", "of_flow", "sample_times"]

Floats = NDArray[np.float64]

NOTHING = ("goodput_bit_per_s", "in_flight_packets")
"""The columns that are 0 where a flow does not live."""

SO_FAR = "retransmissions"
"""The column that counts from the start: where a flow does not live it stays what it was."""


def sample_times(result: RunRecord) -> Floats:
    """The times of all samples of a run, in s."""
    return np.asarray(result.columns("network_series")["time_s"], dtype=float)


def of_flow(result: RunRecord, flow: int) -> dict[str, Floats]:
    """The columns of `flow_series` for one flow, with a value at every sample of the run.

    Before its start and after its end the flow has a goodput of 0, nothing in flight and no further
    retransmissions; its other columns are NaN.
    """
    series = result.columns("flow_series")
    mine = np.asarray(series["flow"]) == flow
    rows = {name: np.asarray(values)[mine].astype(float) for name, values in series.items() if name != "flow"}
    times = sample_times(result)
    return _placed(times, rows)


def _placed(times: Floats, rows: dict[str, Floats]) -> dict[str, Floats]:
    """The rows of a flow at these times, of which theirs are a part."""
    own = rows["time_s"]
    if own.size == times.size:
        return rows
    at = np.searchsorted(times, own)
    found = {}
    for name, values in rows.items():
        every = np.full(times.size, 0.0 if name in NOTHING else np.nan)
        every[at] = values
        found[name] = every
    so_far = np.searchsorted(own, times, side="right")
    found[SO_FAR] = np.concatenate(([0.0], rows[SO_FAR]))[so_far]
    return found | {"time_s": times}


def goodputs(result: RunRecord) -> pl.DataFrame:
    """The goodput of every flow that is acknowledged at every sample: `time_s`, `flow`, `goodput_bit_per_s`.

    Rows are by time, then by flow. The goodput of a flow that does not live is 0.
    """
    acknowledged = result.flows.filter(pl.col("kind") != "udp").select("flow")
    every = result.network_series.select("time_s").join(
        acknowledged, how="cross", maintain_order="left_right"
    )
    series = result.flow_series.select("time_s", "flow", "goodput_bit_per_s")
    joined = every.join(series, on=["time_s", "flow"], how="left", maintain_order="left")
    return joined.with_columns(pl.col("goodput_bit_per_s").fill_null(0.0))
