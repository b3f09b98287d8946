"""RFC 9743, 7.7: paths that reorder."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import Cell, Criterion, Measure
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import GOODPUT, goodputs
from ackclock.measures.record import RunRecord

SPURIOUS = Measure("spurious", "retransmissions, of packets sent", "%", 100, 2, "lower", 0.002)


def cells(quick: bool) -> tuple[Cell, ...]:
    """Packets that others overtake, by a little and by much."""
    return tuple(
        Cell(
            f"{share:g} % of the packets {late} ms late",
            dumbbell(
                20,
                40,
                1,
                [flows("long", 2)],
                seconds=30 if quick else 120,
                link={"impairments": [f"reordering(probability={share / 100:g}, delay={late} ms)"]},
            ),
        )
        for share in ((1, 10) if quick else (0.1, 1, 10))
        for late in ((4,) if quick else (2, 4, 20))
    )


def measure(result: RunRecord) -> Mapping[str, float]:
    """The goodput, and the retransmissions."""
    columns = result.columns("flows")
    sent, again = sum(columns["packets_sent"]), sum(columns["retransmissions"])
    return {GOODPUT.key: float(goodputs(result, "long").sum()), SPURIOUS.key: again / max(1, sent)}


CRITERION = Criterion(
    key="reordering",
    section="7.7",
    title="Reordering",
    force="should",
    question="Does it take reordering for loss?",
    experiment="Two long flows over 20 Mbit/s on which packets are displaced.",
    measures=(GOODPUT, SPURIOUS),
    cells=cells,
    measure=measure,
)
