"""The flows of a run with their series, as exports need them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from ackclock.errors import InputError
from ackclock.measures import over_time
from ackclock.measures.record import RunRecord

__all__ = ["FlowSeries", "finite", "flow_series", "segment_bytes"]


CLOSE = 1e-6
"""The part of a step by which the end of a step is its own, as its time is a rounded number."""


@dataclass(frozen=True)
class FlowSeries:
    """A flow whose packets are acknowledged."""

    row: dict[str, Any]
    """Its row of `flows`."""
    series: pl.DataFrame
    """Its rows of `flow_series` after the time 0, since a sample describes the interval before it."""
    every: pl.DataFrame
    """A row of it for every sample of the run, also while it does not live."""

    def stepped(self, step_s: float) -> pl.DataFrame:
        """A row per step, if samples are closer: the mean goodput in the step, and the states at its end."""
        step = (pl.col("time_s") / step_s - CLOSE).floor().alias("step")
        states = pl.exclude("goodput_bit_per_s", "step").last()
        return self.every.group_by(step, maintain_order=True).agg(states, pl.col("goodput_bit_per_s").mean())


def flow_series(result: RunRecord) -> list[FlowSeries]:
    """The flows of a run that are no UDP. Raises InputError if there is none, or no series of them."""
    every = result.tables["flow_series"].filter(pl.col("time_s") > 0)
    flows = [
        FlowSeries(row, every.filter(pl.col("flow") == row["flow"]), _at_all_times(result, row["flow"]))
        for row in result.flows.filter(pl.col("kind") != "udp").iter_rows(named=True)
    ]
    if not flows or every.is_empty():
        raise InputError(f"{result.label}: no flow whose packets are acknowledged; expected one at least")
    return flows


def _at_all_times(result: RunRecord, flow: int) -> pl.DataFrame:
    series = pl.DataFrame(over_time.of_flow(result, flow)).with_columns(
        pl.col("retransmissions").cast(pl.Int64)
    )
    return series.filter(pl.col("time_s") > 0)


def segment_bytes(result: RunRecord) -> tuple[int, int]:
    """The payload of a segment, and its length with headers."""
    tcp = json.loads(result.scenario.to_json()).get("tcp", {})
    mss, header = (
        round(float(str(tcp.get(key, usual)).split()[0])) for key, usual in (("mss", 1460), ("header", 40))
    )
    return mss, mss + header


def finite(values: pl.Series, factor: float = 1.0) -> Iterator[float | None]:
    """The values times a factor, as JSON can have them: None for one that does not exist."""
    for value in values.to_list():
        yield value * factor if value is not None and math.isfinite(value) else None
