"""RFC 9743, 7.11: data centres."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ackclock.evaluation.criterion import Cell, Criterion, Measure
from ackclock.evaluation.networks import star
from ackclock.evaluation.quantities import completion_times
from ackclock.measures.record import RunRecord

TAIL = Measure("completion_99_s", "completion time, 99th percentile", "ms", 1e3, 2, "lower", 0.0001)


def cells(quick: bool) -> tuple[Cell, ...]:
    """Incast: equal blocks from many servers at once."""
    return tuple(
        Cell(
            f"{senders} senders of {packets} packets at once",
            star(
                senders,
                10,
                100,
                [
                    {
                        "name": "block",
                        "count": senders,
                        "from": [f"host{number}" for number in range(1, senders + 1)],
                        "to": "right",
                        "packets": packets,
                        "start_jitter": "100 us",
                    }
                ],
                2,
            ),
        )
        for senders in ((16,) if quick else (8, 32, 64))
        for packets in ((20, 100) if quick else (20, 100, 500))
    )


def measure(result: RunRecord) -> Mapping[str, float]:
    """The completion of the last blocks."""
    return {TAIL.key: float(np.quantile(completion_times(result, "block"), 0.99))}


CRITERION = Criterion(
    key="data-centre",
    section="7.11",
    title="Data centres",
    force="may",
    question="How long does the last of many answers take that come at once?",
    experiment="Blocks from many servers meet at a link of 10 Gbit/s with a round trip of 100 us and a "
    "buffer of 200 packets. The least retransmission timeout is that of other networks.",
    measures=(TAIL,),
    cells=cells,
    measure=measure,
)
