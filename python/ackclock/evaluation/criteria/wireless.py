"""RFC 9743, 6.4: paths that lose packets without congestion."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import Cell, Criterion
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import GOODPUT, goodputs
from ackclock.measures.record import RunRecord

BURSTS = {"gilbert_elliott": {"good_to_bad": 0.001, "bad_to_good": 0.2}}


def cells(quick: bool) -> tuple[Cell, ...]:
    """Independent losses, and bursts of five packets."""
    losses = {
        "0.1 % lost": {"bernoulli": 0.001},
        "1 % lost": {"bernoulli": 0.01},
        "0.5 % lost in bursts": BURSTS,
    }
    return tuple(
        Cell(
            f"{name}, round trip {round_trip} ms",
            dumbbell(20, round_trip, 1, [flows("long")], seconds=30 if quick else 120, link={"loss": loss}),
        )
        for name, loss in losses.items()
        for round_trip in ((40,) if quick else (20, 40, 100))
    )


def measure(result: RunRecord) -> Mapping[str, float]:
    """The goodput."""
    return {GOODPUT.key: float(goodputs(result, "long").sum())}


CRITERION = Criterion(
    key="wireless",
    section="6.4",
    title="Wireless paths",
    force="should",
    question="Does it mistake losses of the medium for congestion?",
    experiment="One long flow over 20 Mbit/s that loses packets at random.",
    measures=(GOODPUT,),
    cells=cells,
    measure=measure,
)
