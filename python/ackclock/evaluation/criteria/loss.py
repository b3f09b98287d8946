"""RFC 9743, 5.1.3: protection against high packet loss."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import Cell, Criterion
from ackclock.evaluation.grids import counts_over_buffers
from ackclock.evaluation.quantities import LOSS, loss_share
from ackclock.measures.record import RunRecord


def cells(quick: bool) -> tuple[Cell, ...]:
    """From one flow to many, over shallow buffers and deep ones."""
    counts = (1, 8, 32) if quick else (1, 4, 16, 64)
    buffers = (0.1, 1) if quick else (0.02, 0.1, 0.5, 1, 2)
    return counts_over_buffers(counts, buffers, seconds=30 if quick else 120, warm_up_s=5)


def measure(result: RunRecord) -> Mapping[str, float]:
    """The share of packets that the bottleneck's queue drops."""
    return {LOSS.key: loss_share(result)}


CRITERION = Criterion(
    key="loss",
    section="5.1.3",
    title="Protection against high packet loss",
    force="must consider",
    question="How many packets does it make the queue drop?",
    experiment="1 to 32 long flows (in full 1 to 64) over 20 Mbit/s with a round trip of 40 ms.",
    measures=(LOSS,),
    cells=cells,
    measure=measure,
)
