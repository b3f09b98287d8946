"""Packets per epoch: the shares of epochs in which a flow sends 0, 1, 2, ... packets, and timeouts in a row.

Models of TCP at small windows predict these quantities. A scenario records them if it sets `trace.epoch`.
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

    Epochs with more packets count in the total, so a flow's shares may add up to less than 1. Flows without a
    whole epoch are left out. Raises InputError if the scenario does not count epochs.
    """
    if "epochs" not in result.tables:
        raise InputError("shares of epochs need counts of packets: set `trace.epoch`")
    counted = result.epochs
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

    `low` and `high` are quantiles over the flows, by default the 10th and the 90th percentile.
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
    """Timeouts of all flows by their number in a row: `in_a_row`, `timeouts`, their `share` of all.

    1 is a timeout with a timer that was not backed off, 2 the next timeout before a round-trip time was
    measured, and so on; the last row, 8, counts the eighth and all later ones.
    """
    table = result.timeouts.group_by("in_a_row").agg(pl.col("timeouts").sum()).sort("in_a_row")
    return table.with_columns((pl.col("timeouts") / pl.col("timeouts").sum()).alias("share"))
