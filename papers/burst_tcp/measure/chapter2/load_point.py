"""A point of figure 2: what becomes of the packets of one load."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ackclock import Result

__all__ = ["Point"]


@dataclass(frozen=True)
class Point:
    """One load of figure 2; rates in parts of what the bottleneck can carry of payload."""

    sent: float
    """The packets that arrive at the bottleneck's queue."""
    goodput: float
    """The packets that arrive for the first time."""
    needless: float
    """The share of what the bottleneck carries that had arrived before."""
    queueing_s: float
    lost: float
    """The share of what comes to the bottleneck that is dropped there."""

    @staticmethod
    def of(result: Result) -> Point:
        """One run; waiting and dropping at the bottleneck."""
        link = result.links.row(by_predicate=pl.col("name") == "left->right", named=True)
        rate = float(link["rate_bit_per_s"])
        measured_s = result.scenario.duration_s - result.scenario.warm_up_s
        goodput = float(result.flows["goodput_bit_per_s"].sum()) / rate * 1064 / 1024
        carried = float(link["utilisation"])
        return Point(
            sent=float(link["packets_offered"]) * 1064 * 8 / measured_s / rate,
            goodput=goodput,
            needless=max(0.0, 1 - goodput / carried),
            queueing_s=float(link["mean_queueing_delay_s"]),
            lost=float(link["dropped_queue"]) / float(link["packets_offered"]),
        )
