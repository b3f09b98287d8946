"""RFC 9743, 6.1 and 6.3: tail drop and wired paths, over rates, round trips and depths."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import Cell, Criterion
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import DELAY_95, UTILISATION, delay_quantile, link_value
from ackclock.measures.record import RunRecord


def cells(quick: bool) -> tuple[Cell, ...]:
    """A grid of rates, round trips and depths; one flow."""
    rates = (2, 20, 100) if quick else (1, 10, 100, 1000)
    return tuple(
        Cell(
            f"{rate} Mbit/s, round trip {round_trip} ms, buffer {buffer:g} BDP",
            dumbbell(rate, round_trip, buffer, [flows("long")], seconds=30 if quick else 60),
        )
        for rate in rates
        for round_trip in ((20, 100) if quick else (10, 40, 160))
        for buffer in ((0.5,) if quick else (0.2, 1))
    )


def measure(result: RunRecord) -> Mapping[str, float]:
    """The capacity in use, and the delay for it."""
    return {UTILISATION.key: link_value(result, "utilisation"), DELAY_95.key: delay_quantile(result)}


CRITERION = Criterion(
    key="paths",
    section="6.1, 6.3",
    title="Tail drop, wired paths",
    force="MUST",
    question="Does it use the capacity of paths of all kinds, and at what delay?",
    experiment="One long flow over a grid of rates, round trips and drop-tail buffers.",
    measures=(UTILISATION, DELAY_95),
    cells=cells,
    measure=measure,
)
