"""RFC 9743, 7.8: transient events, a flash crowd."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ackclock.evaluation.criteria.short_flows import TAIL
from ackclock.evaluation.criterion import Cell, Criterion
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import LOSS, completion_times, loss_share
from ackclock.measures.record import RunRecord


def cells(quick: bool) -> tuple[Cell, ...]:
    """Many files that begin within a second."""
    return tuple(
        Cell(
            f"{count} files of 100 packets within a second, beside 2 long flows",
            dumbbell(
                20,
                40,
                1,
                [flows("long", 2), flows("file", count, packets=100, start="10 s")],
                seconds=40,
                warm_up_s=10,
            ),
        )
        for count in ((100,) if quick else (30, 100, 300))
    )


def measure(result: RunRecord) -> Mapping[str, float]:
    """The completion of the last files, and the losses."""
    return {
        TAIL.key: float(np.quantile(completion_times(result, "file"), 0.95)),
        LOSS.key: loss_share(result),
    }


CRITERION = Criterion(
    key="flash-crowd",
    section="7.8",
    title="Transient events: a flash crowd",
    force="SHOULD",
    question="How fast does a crowd of its flows come and go?",
    experiment="Files that begin within a second meet two long flows over 20 Mbit/s.",
    measures=(TAIL, LOSS),
    cells=cells,
    measure=measure,
)
