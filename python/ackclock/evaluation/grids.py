"""Grids of cells that several criteria share."""

from __future__ import annotations

from collections.abc import Sequence

from ackclock.evaluation.criterion import Cell, flow_count
from ackclock.evaluation.networks import dumbbell, flows

__all__ = ["counts_over_buffers"]


def counts_over_buffers(
    counts: Sequence[int], buffers_bdp: Sequence[float], *, seconds: float, warm_up_s: float
) -> tuple[Cell, ...]:
    """Long flows over 20 Mbit/s with a round trip of 40 ms: every number of flows with every buffer."""
    return tuple(
        Cell(
            f"{flow_count(count)}, buffer {buffer:g} BDP",
            dumbbell(20, 40, buffer, [flows("long", count)], seconds=seconds, warm_up_s=warm_up_s),
        )
        for count in counts
        for buffer in buffers_bdp
    )
