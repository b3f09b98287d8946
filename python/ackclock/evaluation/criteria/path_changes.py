"""RFC 9743, 7.9: changes of the path in the middle of a connection."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import Cell, Criterion, flow_count
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import DELAY_95, LOSS, UTILISATION, delay_quantile, link_value, loss_share
from ackclock.measures.record import RunRecord

SLOW = {"rate": {"steps": [["0 s", "20 Mbit/s"], ["15 s", "2 Mbit/s"]], "every": "30 s"}}
LONG = {"delay": {"steps": [["0 s", "18 ms"], ["15 s", "80 ms"]], "every": "30 s"}}
CHANGES = {
    "rate a tenth for 15 s, and back": SLOW,
    "rate a tenth and delay fourfold for 15 s, and back": SLOW | LONG,
}


def cells(quick: bool) -> tuple[Cell, ...]:
    """A slower path, and one that is longer too, and back."""
    return tuple(
        Cell(
            f"{flow_count(count)}, {name}",
            dumbbell(20, 40, 1, [flows("long", count)], seconds=60 if quick else 300, link=link),
        )
        for count in ((2,) if quick else (1, 4))
        for name, link in CHANGES.items()
    )


def measure(result: RunRecord) -> Mapping[str, float]:
    """The capacity in use, the delay for it, and the losses at the changes."""
    return {
        UTILISATION.key: link_value(result, "utilisation"),
        DELAY_95.key: delay_quantile(result),
        LOSS.key: loss_share(result),
    }


CRITERION = Criterion(
    key="path-changes",
    section="7.9",
    title="Changes of the path",
    force="MUST",
    question="Does it follow a path that becomes slower, longer, and faster again?",
    experiment="Long flows over 20 Mbit/s that become 2 Mbit/s for 15 s, some with four times the delay.",
    measures=(UTILISATION, DELAY_95, LOSS),
    cells=cells,
    measure=measure,
)
