"""RFC 9743, 7.5: paths with a high delay."""

from __future__ import annotations

from ackclock.evaluation.criteria.paths import measure
from ackclock.evaluation.criterion import Cell, Criterion
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import DELAY_95, UTILISATION


def cells(quick: bool) -> tuple[Cell, ...]:
    """A geostationary satellite, from the first packet on."""
    return tuple(
        Cell(
            f"{rate} Mbit/s, buffer {buffer:g} BDP",
            dumbbell(rate, 600, buffer, [flows("long")], seconds=60 if quick else 200, warm_up_s=0),
        )
        for rate in ((10, 50) if quick else (10, 50, 250))
        for buffer in ((0.5,) if quick else (0.2, 1))
    )


CRITERION = Criterion(
    key="high-delay",
    section="7.5",
    title="High delay",
    force="should",
    question="How much of a satellite's link does it use, its beginning included?",
    experiment="One long flow with a round trip of 600 ms.",
    measures=(UTILISATION, DELAY_95),
    cells=cells,
    measure=measure,
)
