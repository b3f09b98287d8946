"""RFC 9743, 6.2: tunnels that carry marks to their end, that allow none, and that lose them."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import Cell, Criterion
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import DELAY_95, GOODPUT, LOSS, delay_quantile, goodputs, loss_of
from ackclock.measures.record import RunRecord


def cells(quick: bool) -> tuple[Cell, ...]:
    """A queue that marks in a tunnel of each mode."""
    modes = ("normal", "mark-losing") if quick else ("normal", "compatibility", "mark-losing", "bleaching")
    return tuple(Cell(f"tunnel {mode}", _tunnel(mode, 30 if quick else 120)) for mode in modes)


def _tunnel(mode: str, seconds: float) -> dict[str, object]:
    """Two flows that take marks through a tunnel over the bottleneck, whose buffer is four pipes."""
    link = {"queue": "codel", "tunnel": mode}
    return {
        **dumbbell(20, 40, 4, [flows("long", 2)], seconds=seconds, link=link),
        "tcp": {"ecn": "accurate"},
    }


def measure(result: RunRecord) -> Mapping[str, float]:
    """The goodput, the delay and the losses."""
    return {
        GOODPUT.key: float(goodputs(result, "long").sum()),
        DELAY_95.key: delay_quantile(result),
        LOSS.key: loss_of(result, "long"),
    }


CRITERION = Criterion(
    key="tunnels",
    section="6.2",
    title="Tunnels",
    force="must consider",
    question="What does it do where a tunnel loses the marks of its queue?",
    experiment="Two long flows with ECN over 20 Mbit/s, a tunnel (RFC 6040) whose queue is CoDel and marks.",
    measures=(GOODPUT, DELAY_95, LOSS),
    cells=cells,
    measure=measure,
)
