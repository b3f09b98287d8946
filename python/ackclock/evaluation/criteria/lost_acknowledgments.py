"""RFC 9743, 7.6: acknowledgments that get lost."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import Cell, Criterion
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import GOODPUT, LOSS, goodputs, loss_share
from ackclock.measures.record import RunRecord


def cells(quick: bool) -> tuple[Cell, ...]:
    """Random losses on the way back."""
    return tuple(
        Cell(
            f"{share:g} % of the acknowledgments lost",
            dumbbell(
                20,
                40,
                1,
                [flows("long", 2)],
                seconds=30 if quick else 120,
                link={"reverse": {"loss": {"bernoulli": share / 100}}},
            ),
        )
        for share in ((10, 50) if quick else (1, 10, 50))
    )


def measure(result: RunRecord) -> Mapping[str, float]:
    """The goodput, and the losses on the way there."""
    return {GOODPUT.key: float(goodputs(result, "long").sum()), LOSS.key: loss_share(result)}


CRITERION = Criterion(
    key="lost-acknowledgments",
    section="7.6",
    title="Lost acknowledgments",
    force="SHOULD",
    question="Does it work with half of the acknowledgments?",
    experiment="Two long flows over 20 Mbit/s; acknowledgments are lost at random.",
    measures=(GOODPUT, LOSS),
    cells=cells,
    measure=measure,
)
