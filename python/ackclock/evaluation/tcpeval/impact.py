"""draft-irtf-iccrg-tcpeval-01, 6.1: impact on standard TCP traffic."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import STANDARDS, Cell, Criterion, Measure
from ackclock.evaluation.tcpeval.networks import Central, Edges, dumbbell, sessions
from ackclock.evaluation.tcpeval.quantities import delivered
from ackclock.measures.record import RunRecord

STANDARD = STANDARDS[0]
"""The draft's standard TCP has SACK and no ECN."""

CAMP_A = Measure("camp_a", "throughput of standard TCP, camp A", "Mbit/s", 8e-6, 2,
                 "higher", 1e3)  # fmt: skip
CAMP_B = Measure("camp_b", "throughput of the algorithm, camp B", "Mbit/s", 8e-6, 2,
                 "higher", 1e3)  # fmt: skip


def cells(quick: bool) -> tuple[Cell, ...]:
    """Two camps with half of the load each; the baseline has standard TCP in both."""
    seconds = 30 if quick else 200
    return tuple(
        Cell(
            f"load {load:.0%} of {rate:g} Mbit/s",
            dumbbell(
                Central(rate, 2, 0.08),
                Edges(1000),
                [sessions("standard", load / 2, rate, algorithm=STANDARD), sessions("new", load / 2, rate)],
                seconds=seconds, warm_up_s=0,
            ),
            (STANDARD,),
        )
        for rate in ((10, 100) if quick else (10, 1000))
        for load in (0.5, 1.0)
    )  # fmt: skip


def measure(result: RunRecord) -> Mapping[str, float]:
    """The bytes per second that either camp delivers."""
    return {CAMP_A.key: delivered(result, "standard"), CAMP_B.key: delivered(result, "new")}


CRITERION = Criterion(
    key="impact",
    section="6.1",
    title="Impact on standard TCP",
    force="",
    question="What does standard TCP lose, and the algorithm gain, where half of the flows are of either?",
    experiment="Files of standard TCP and of the algorithm, half of the load each, over 10 Mbit/s and a "
    "faster link; the baseline has standard TCP in both camps.",
    measures=(CAMP_A, CAMP_B),
    cells=cells,
    measure=measure,
)
