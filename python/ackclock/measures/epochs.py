"""How flows send from epoch to epoch: the shares of epochs with no packet, one, two, and timeouts in a row.

These are what a model of TCP at small windows predicts. A scenario has to ask for them by `trace.epoch`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from ackclock.errors import InputError

if TYPE_CHECKING:
    from ackclock.measures.record import RunRecord

__all__ = ["shares", "summary", "timeouts_in_a_row"]


def shares(result: RunRecord, most: int = 6) -> pl.DataFrame:
    """A row per flow and number of packets 0 to `most`: `flow`, `packets_sent`, `share` of its epochs.

    Epochs with more packets count among all, so that a flow's shares may add up to less than 1. Flows without
    a whole epoch are left out. Raises InputError where the scenario counts no epochs.
    """
    counted = result.epochs
    if counted.is_empty():
        raise InputError("shares of epochs need counts of packets: set `trace.epoch`")
    totals = counted.group_by("flow", maintain_order=True).agg(pl.col("epochs").sum().alias("all"))
    totals = totals.filter(pl.col("all") > 0)
    numbers = pl.DataFrame({"packets_sent": range(most + 1)}, schema={"packets_sent": pl.UInt64})
    return (
        totals.join(numbers, how="cross", maintain_order="left_right")
        .join(counted, on=["flow", "packets_sent"], how="left", maintain_order="left")
        .select("flow", "packets_sent", (pl.col("epochs").fill_null(0) / pl.col("all")).alias("share"))
    )


def summary(result: RunRecord, most: int = 6, low: float = 0.1, high: float = 0.9) -> pl.DataFrame:
    """A row per number of packets 0 to `most`: `packets_sent`, the flows' mean `share`, its `low` and `high`.

    `low` and `high` are quantiles over the flows: the 10th and the 90th percentile, unless said otherwise.
    """
    share = pl.col("share")
    return (
        shares(result, most)
        .group_by("packets_sent", maintain_order=True)
        .agg(
            share.mean(),
            share.quantile(low, "linear").alias("low"),
            share.quantile(high, "linear").alias("high"),
        )
    )


def timeouts_in_a_row(result: RunRecord) -> pl.DataFrame:
    """Timeouts of all flows by how many there were in a row: `in_a_row`, `timeouts`, their `share` of all.

    1 is a timeout when the timer was not backed off, 2 the next without a measured round trip in between, and
    so on; the last, 8, is for all from there on.
    """
    table = result.timeouts.group_by("in_a_row").agg(pl.col("timeouts").sum()).sort("in_a_row")
    return table.with_columns((pl.col("timeouts") / pl.col("timeouts").sum()).alias("share"))
