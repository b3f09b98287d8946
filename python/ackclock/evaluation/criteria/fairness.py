"""RFC 9743, 5.1.4: fairness among flows of the algorithm."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import Cell, Criterion
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import FAIRNESS, LOWEST_SHARE, shares
from ackclock.measures.record import RunRecord


def cells(quick: bool) -> tuple[Cell, ...]:
    """Flows that begin together, and flows of which the last begins late."""
    seconds = 60 if quick else 200
    counts = (2, 8) if quick else (2, 8, 32)
    together = [
        Cell(
            f"{count} flows, buffer {buffer:g} BDP",
            dumbbell(20, 40, buffer, [flows("long", count)], seconds=seconds, warm_up_s=10),
        )
        for count in counts
        for buffer in ((1,) if quick else (0.2, 1, 4))
    ]
    late = Cell(
        "4 flows, the last from 20 s on, averages of the 20 s after that",
        dumbbell(
            20,
            40,
            1,
            [flows("long", 3), flows("long", start="20 s")],
            seconds=40,
            warm_up_s=20,
        ),
    )
    return (*together, late)


def measure(result: RunRecord) -> Mapping[str, float]:
    """Jain's index of the goodputs, and the lowest of them."""
    return shares(result, "long")


CRITERION = Criterion(
    key="fairness",
    section="5.1.4",
    title="Fairness among its own flows",
    force="must consider",
    question="Do flows of the algorithm share a bottleneck, and does one that comes late get its part?",
    experiment="2 and 8 long flows (in full up to 32) and a late one over 20 Mbit/s, round trip 40 ms.",
    measures=(FAIRNESS, LOWEST_SHARE),
    cells=cells,
    measure=measure,
)
