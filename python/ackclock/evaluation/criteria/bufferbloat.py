"""RFC 9743, 5.1.2: protection against bufferbloat."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import Cell, Criterion
from ackclock.evaluation.grids import counts_over_buffers
from ackclock.evaluation.quantities import DELAY_95, delay_quantile
from ackclock.measures.record import RunRecord


def cells(quick: bool) -> tuple[Cell, ...]:
    """One flow and several, over buffers of 0.1 to 10 bandwidth-delay products."""
    buffers = (1, 10) if quick else (0.1, 0.5, 1, 2, 5, 10)
    return counts_over_buffers((1, 4), buffers, seconds=30 if quick else 120, warm_up_s=10)


def measure(result: RunRecord) -> Mapping[str, float]:
    """The queueing delay that the queue exceeds for a twentieth of the time."""
    return {DELAY_95.key: delay_quantile(result)}


CRITERION = Criterion(
    key="bufferbloat",
    section="5.1.2",
    title="Protection against bufferbloat",
    force="must consider",
    question="How much of a deep buffer does it fill?",
    experiment="One and four long flows over 20 Mbit/s with a round trip of 40 ms and drop-tail buffers.",
    measures=(DELAY_95,),
    cells=cells,
    measure=measure,
)
