"""RFC 9743, 7.4: constrained nodes and slow links."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import Cell, Criterion, Measure
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import GOODPUT, goodputs
from ackclock.measures.record import RunRecord

SENT = Measure("sent_per_delivered", "packets sent per packet delivered", "", 1, 3, "lower", 0.02)


def cells(quick: bool) -> tuple[Cell, ...]:
    """Slow links with small packets, and a receive window of a few of them."""
    small = {"mss": "200 bytes", "receive_window": "4 packets", "initial_window": "1 packets"}
    return tuple(
        Cell(
            f"{rate} kbit/s, window of 4 packets of 200 bytes" if tcp else f"{rate} kbit/s",
            dumbbell(rate / 1000, 200, 2, [flows("long")], seconds=60 if quick else 200) | {"tcp": tcp},
        )
        for rate in ((20, 250) if quick else (20, 100, 250))
        for tcp in ({}, small)
    )


def measure(result: RunRecord) -> Mapping[str, float]:
    """The goodput, and the packets sent for it."""
    columns = result.columns("flows")
    sent, delivered = sum(columns["packets_sent"]), sum(columns["packets_delivered"])
    return {GOODPUT.key: float(goodputs(result, "long").sum()), SENT.key: sent / max(1, delivered)}


CRITERION = Criterion(
    key="constrained",
    section="7.4",
    title="Constrained nodes",
    force="may",
    question="Does it work with windows of a few small packets, and without waste?",
    experiment="One long flow over 20 to 250 kbit/s with a round trip of 200 ms.",
    measures=(Measure("goodput", "goodput", "kbit/s", 1e-3, 1, "higher", 100), SENT),
    cells=cells,
    measure=measure,
)
