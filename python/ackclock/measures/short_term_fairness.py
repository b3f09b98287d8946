"""Short-term fairness: the goodput of each flow in slices of a run, and its inequality.

The scenario must record time series of its flows, with a slice as a multiple of `trace.interval`. An interval
as long as the slice suffices and takes hardly any time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from ackclock.errors import InputError
from ackclock.measures import over_time, statistics

if TYPE_CHECKING:
    from ackclock.measures.record import RunRecord

__all__ = ["goodputs", "silent_share", "summary", "top_share"]

TOP = 0.4
"""The share of flows of which `summary` gives the `top_share`."""


def goodputs(result: RunRecord, slice_s: float) -> pl.DataFrame:
    """A row per slice and flow: `slice`, `start_s`, `flow`, `goodput_bit_per_s`, by slice, then by flow.

    Slices of `slice_s` follow one another from the first sample at or after the warm-up; an incomplete last
    slice is left out, and so are UDP flows. Raises InputError if the scenario records no series, or if a
    slice is not a multiple of their interval.
    """
    times = over_time.sample_times(result) if "flow_series" in result.tables else np.empty(0)
    if times.size < 2:
        raise InputError("slices need series of the flows: set `trace.interval`")
    step = float(times[1] - times[0])
    steps = round(slice_s / step)
    if steps < 1 or abs(steps * step - slice_s) > 1e-6 * slice_s:
        raise InputError(f"slices of {slice_s} s are no multiple of the series' interval, {step} s")
    first = int(np.searchsorted(times, result.scenario.warm_up_s - 1e-9))
    whole = (times.size - 1 - first) // steps
    # A sample describes the interval that it ends.
    number = (pl.col("time_s") / step).round().cast(pl.Int64) - 1 - first
    return (
        over_time.goodputs(result)
        .with_columns(number.alias("number"))
        .filter((pl.col("number") >= 0) & (pl.col("number") < whole * steps))
        .group_by((pl.col("number") // steps).alias("slice"), "flow", maintain_order=True)
        .agg(pl.col("goodput_bit_per_s").mean())
        .with_columns((float(times[first]) + pl.col("slice") * slice_s).alias("start_s"))
        .select("slice", "start_s", "flow", "goodput_bit_per_s")
        .sort("slice", "flow")
    )


def silent_share(values: ArrayLike) -> float:
    """The share of flows with no goodput. Raises ValueError if there are no flows."""
    got = np.asarray(values, dtype=np.float64)
    if got.size == 0:
        raise ValueError("at least one flow is needed")
    return float(np.mean(got <= 0))


def top_share(values: ArrayLike, of_flows: float = TOP) -> float:
    """The share of the total that the top `of_flows` of the flows got; NaN if the total is zero.

    If that share is not a whole number of flows, the last of them counts in part. Raises ValueError if there
    are no flows, or if `of_flows` is not from 0 to 1.
    """
    got = np.sort(np.asarray(values, dtype=np.float64))[::-1]
    if got.size == 0 or not 0 <= of_flows <= 1:
        raise ValueError("at least one flow is needed, and a share of them from 0 to 1")
    total = float(got.sum())
    if total <= 0:
        return float("nan")
    up_to = np.concatenate(([0.0], np.cumsum(got)))
    return float(np.interp(of_flows * got.size, np.arange(got.size + 1), up_to)) / total


def summary(result: RunRecord, slice_s: float, of_flows: float = TOP) -> pl.DataFrame:
    """A row per slice: `start_s`, `goodput_bit_per_s` of all flows, `fairness`, `silent_share`, `top_share`.

    Fairness is Jain's index of the flows' goodputs, NaN in a slice without goodput.
    """
    rows = []
    for (number, start), mine in goodputs(result, slice_s).group_by(
        ["slice", "start_s"], maintain_order=True
    ):
        got = mine["goodput_bit_per_s"].to_numpy()
        total = float(got.sum())
        rows.append(
            {
                "slice": number,
                "start_s": start,
                "goodput_bit_per_s": total,
                "fairness": statistics.jain_index(got) if total > 0 else float("nan"),
                "silent_share": silent_share(got),
                "top_share": top_share(got, of_flows),
            }
        )
    numbers = ("start_s", "goodput_bit_per_s", "fairness", "silent_share", "top_share")
    return pl.DataFrame(rows, schema={"slice": pl.Int64, **dict.fromkeys(numbers, pl.Float64)})
