"""RFC 9743, 5.2.1: with flows of standard congestion control, as harm (Ware et al., HotNets 2019)."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import STANDARDS, Cell, Criterion, Measure
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import LOSS, goodputs, loss_share
from ackclock.measures.record import RunRecord

INCUMBENTS = Measure("incumbents", "goodput of a standard flow beside it", "Mbit/s", 1e-6, 2, "higher", 1e4)
LOWEST = Measure("lowest_incumbent", "lowest goodput of a standard flow", "Mbit/s", 1e-6, 2, "higher", 1e4)


def cells(quick: bool) -> tuple[Cell, ...]:
    """Standard flows with newcomers instead of their own kind."""
    mixes = ((1, 1), (4, 4)) if quick else ((1, 1), (4, 4), (8, 1), (1, 8))
    return tuple(
        Cell(
            f"{old} of {standard} beside {new} newcomer{'s' if new > 1 else ''}, buffer {buffer:g} BDP",
            dumbbell(
                20,
                40,
                buffer,
                [flows("standard", old, algorithm=standard), flows("newcomer", new)],
                seconds=60 if quick else 200,
                warm_up_s=10,
            ),
            (standard,),
        )
        for standard in STANDARDS
        for old, new in mixes
        for buffer in ((0.5, 2) if quick else (0.2, 1, 4))
    )


def measure(result: RunRecord) -> Mapping[str, float]:
    """The goodput of the standard flows, and the loss of all flows."""
    rates = goodputs(result, "standard")
    return {
        INCUMBENTS.key: float(rates.mean()),
        LOWEST.key: float(rates.min()),
        LOSS.key: loss_share(result),
    }


CRITERION = Criterion(
    key="beside-standard",
    section="5.2.1",
    title="Beside standard congestion control",
    force="MUST",
    question="What do Reno and CUBIC lose if it takes the place of as many flows of their own kind?",
    experiment="Reno or CUBIC shares 20 Mbit/s with newcomers; the standard of comparison is the run in "
    "which the newcomers are flows of their own kind.",
    measures=(INCUMBENTS, LOWEST, LOSS),
    cells=cells,
    measure=measure,
)
