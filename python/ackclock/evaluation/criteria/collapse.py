"""RFC 9743, 5.1.1: protection against congestion collapse."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import Cell, Criterion, Measure
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import LOSS, loss_share
from ackclock.measures.record import RunRecord

USEFUL = Measure("useful", "packets delivered for the first time, of those sent", "%", 100, 1, "higher", 0.01)


def cells(quick: bool) -> tuple[Cell, ...]:
    """Flows whose fair share is below a packet per round trip."""
    counts = (100,) if quick else (50, 100, 400)
    return tuple(
        Cell(
            f"{count} flows over 1 Mbit/s, round trip 200 ms",
            dumbbell(1, 200, 1, [flows("long", count)], seconds=60 if quick else 200, warm_up_s=20),
        )
        for count in counts
    )


def measure(result: RunRecord) -> Mapping[str, float]:
    """The share of the packets sent that is delivered as new data, and the loss."""
    columns = result.columns("flows")
    sent, delivered = sum(columns["packets_sent"]), sum(columns["packets_delivered"])
    return {USEFUL.key: delivered / sent if sent else 0.0, LOSS.key: loss_share(result)}


CRITERION = Criterion(
    key="collapse",
    section="5.1.1",
    title="Protection against congestion collapse",
    force="must consider",
    question="Does it keep sending what is dropped where the fair share is below a packet per round trip?",
    experiment="Many long flows over 1 Mbit/s.",
    measures=(USEFUL, LOSS),
    cells=cells,
    measure=measure,
)
