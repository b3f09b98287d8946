"""Time and sequence of a connection: its segments and acknowledgments as they pass a captured link.

The picture of it shows how a sender repairs losses. The tables `packets` and, if it is recorded, `drops` have
all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from ackclock.measures.record import RunRecord

__all__ = ["TimeSequence", "time_sequences"]


@dataclass(frozen=True)
class TimeSequence:
    """The packets of one connection."""

    flow: int
    connection: int
    segments: pl.DataFrame
    """Segments by time: `time_s`, the sequence numbers `first`, of the first byte, `last`, after the last,
    and `again`, true if later bytes have passed before it: it is a retransmission, or was overtaken."""
    acknowledgments: pl.DataFrame
    """Cumulative acknowledgments by time: `time_s`, `acknowledgment`."""
    drops: pl.DataFrame
    """Segments of the flow that the network dropped, by time: `time_s`, `first`; empty if not recorded."""


def time_sequences(result: RunRecord) -> Iterator[TimeSequence]:
    """The connections whose data a capture shows, in the order of their flows.

    Segments are those of the first captured link on their way, acknowledgments those of the last one on
    theirs: the captures nearest to the sender. Raises InputError if packets are not recorded.
    """
    packets = result.tables["packets"]
    names = ["flow", "connection"]
    for (flow, connection), mine in packets.group_by(names, maintain_order=True):
        data = mine.filter((pl.col("kind") == "data") & (pl.col("payload_bytes") > 0))
        if data.is_empty():
            continue
        segments = data.filter(pl.col("link") == data["link"][0]).select(
            "time_s", first="sequence", last=pl.col("sequence") + pl.col("payload_bytes")
        )
        highest = pl.col("last").cum_max().shift(1, fill_value=0)
        acks = mine.filter(pl.col("kind") == "ack").sort("time_s", maintain_order=True)
        nearest = acks.filter(pl.col("link") == acks["link"][-1]) if acks.height else acks
        yield TimeSequence(
            int(flow),
            int(connection),
            segments.with_columns(again=pl.col("first") < highest),
            nearest.select("time_s", "acknowledgment"),
            _drops(result, int(flow)),
        )


def _drops(result: RunRecord, flow: int) -> pl.DataFrame:
    if "drops" not in result.tables:
        return pl.DataFrame(schema={"time_s": pl.Float64, "first": pl.UInt64})
    mine = result.drops.filter(pl.col("flow") == flow)
    return mine.select("time_s", first="sequence_bytes")
