"""RFC 9743, 5.2: all feedback is lost for a while."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ackclock.evaluation.criterion import Cell, Criterion, Measure, flow_count
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import GOODPUT, goodputs
from ackclock.measures.record import RunRecord

BEGIN_S, END_S = 10, 20
ROUND_TRIP_MS = 40
BLIND = Measure("blind", "packets sent per flow and round trip without feedback", "", 1, 3, "lower", 0.02)


def cells(quick: bool) -> tuple[Cell, ...]:
    """All acknowledgments are lost for ten seconds."""
    lost = {"schedule": {"steps": [["0 s", 0.0], [f"{BEGIN_S} s", 1.0], [f"{END_S} s", 0.0]]}}
    return tuple(
        Cell(
            f"{flow_count(count)}, no feedback for {END_S - BEGIN_S} s",
            dumbbell(
                20,
                ROUND_TRIP_MS,
                1,
                [flows("long", count)],
                seconds=40,
                link={"reverse": {"loss": lost}},
            ),
        )
        for count in ((1, 8) if quick else (1, 8, 32))
    )


def measure(result: RunRecord) -> Mapping[str, float]:
    """The packets sent from a second after the beginning of the loss to its end, and the run's goodput."""
    series = result.columns("network_series")
    time, sent = np.asarray(series["time_s"]), np.asarray(series["packets_sent"], dtype=float)
    is_blind = (time > BEGIN_S + 1) & (time <= END_S)
    rounds = (END_S - BEGIN_S - 1) / (ROUND_TRIP_MS / 1e3)
    flows_there = len(result.columns("flows")["name"])
    return {
        BLIND.key: float(sent[is_blind].sum()) / rounds / flows_there,
        GOODPUT.key: float(goodputs(result, "long").sum()),
    }


CRITERION = Criterion(
    key="lost-feedback",
    section="5.2",
    title="All feedback lost",
    force="MUST",
    question="Does it stop when nothing comes back, and begin again when something does?",
    experiment="Long flows over 20 Mbit/s whose acknowledgments are all lost for ten seconds.",
    measures=(BLIND, GOODPUT),
    cells=cells,
    measure=measure,
)
