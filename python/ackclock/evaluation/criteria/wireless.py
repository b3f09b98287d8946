"""RFC 9743, 6.4: paths that lose packets without congestion, and whose capacity varies."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import Cell, Criterion
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import GOODPUT, goodputs
from ackclock.measures.record import RunRecord

BURSTS = {"gilbert_elliott": {"good_to_bad": 0.001, "bad_to_good": 0.2}}


def cells(quick: bool) -> tuple[Cell, ...]:
    """Independent losses and bursts of five packets; typical paths."""
    losses = {
        "0.1 % lost": {"bernoulli": 0.001},
        "1 % lost": {"bernoulli": 0.01},
        "0.5 % lost in bursts": BURSTS,
    }
    random = [
        Cell(
            f"{name}, round trip {round_trip} ms",
            dumbbell(20, round_trip, 1, [flows("long")], seconds=30 if quick else 120, link={"loss": loss}),
        )
        for name, loss in losses.items()
        for round_trip in ((40,) if quick else (20, 40, 100))
    ]
    seconds = 60 if quick else 300
    varying = [
        Cell(
            f"2 flows, the path {name}",
            dumbbell(100, 20, 1, [flows("long", 2)], seconds=seconds, link={"path": name}),
        )
        for name in (("lte-driving", "wifi-home") if quick else ("lte-driving", "wifi-home", "5g-driving"))
    ]
    return (*random, *varying)


def measure(result: RunRecord) -> Mapping[str, float]:
    """The goodput."""
    return {GOODPUT.key: float(goodputs(result, "long").sum())}


CRITERION = Criterion(
    key="wireless",
    section="6.4",
    title="Wireless paths",
    force="should",
    question="Does it mistake losses of the medium for congestion, and follow a capacity that varies?",
    experiment="One long flow over 20 Mbit/s that loses packets at random; two over LTE and Wi-Fi.",
    measures=(GOODPUT,),
    cells=cells,
    measure=measure,
)
