"""RFC 9743, 7.1: active queue management, with and without ECN."""

from __future__ import annotations

from ackclock.evaluation.criteria.paths import measure
from ackclock.evaluation.criterion import Cell, Criterion, flow_count
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import DELAY_95, UTILISATION


def cells(quick: bool) -> tuple[Cell, ...]:
    """The active queues that networks deploy."""
    return tuple(
        Cell(
            f"{flow_count(count)}, {queue}",
            dumbbell(20, 40, 4, [flows("long", count)], seconds=30 if quick else 120, link={"queue": queue}),
        )
        for count in ((4,) if quick else (1, 4, 16))
        for queue in ("fq-codel", "codel", "pie", "red")
    )


CRITERION = Criterion(
    key="active-queues",
    section="7.1",
    title="Active queue management",
    force="SHOULD",
    question="Does it use the link, and leave the delay to the queue's target?",
    experiment="Long flows over 20 Mbit/s with FQ-CoDel, CoDel, PIE and RED, which drop.",
    measures=(UTILISATION, DELAY_95),
    cells=cells,
    measure=measure,
)
