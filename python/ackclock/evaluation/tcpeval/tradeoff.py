"""draft-irtf-iccrg-tcpeval-01, 5.1: delay against throughput as the buffer varies."""

from __future__ import annotations

from ackclock.evaluation.criterion import Cell, Criterion
from ackclock.evaluation.tcpeval.networks import BACKWARD_SHARE, Central, Edges, dumbbell, sessions
from ackclock.evaluation.tcpeval.quantities import BASIC, basic

LOAD = 0.85
BUFFERS_BDP = (0.1, 0.2, 0.5, 1.0, 2.0)
ROUND_TRIP_S = 0.1
"""The mean of the access link's round trips. The buffers are fractions of it."""


def cells(quick: bool) -> tuple[Cell, ...]:
    """The access link with five buffers."""
    seconds = 20 if quick else 120
    traffic = [sessions("file", LOAD, 100), sessions("back", LOAD * BACKWARD_SHARE, 100, backward=True)]
    return tuple(
        Cell(
            f"buffer {buffer:.0%} of the BDP",
            dumbbell(Central(100, 2, buffer * ROUND_TRIP_S), Edges(100), traffic,
                     seconds=seconds, warm_up_s=seconds / 4),
        )
        for buffer in ((0.1, 0.5, 2.0) if quick else BUFFERS_BDP)
    )  # fmt: skip


CRITERION = Criterion(
    key="delay-throughput",
    section="5.1",
    title="Delay/throughput tradeoff",
    force="",
    question="What do delay, throughput and loss become as the buffer grows?",
    experiment="The access link at a load of 85 %, with buffers of 10 to 200 % of the BDP at 100 ms.",
    measures=BASIC,
    cells=cells,
    measure=basic,
)
