"""RFC 9743, 7.3: paths whose delay varies."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criteria.paths import measure
from ackclock.evaluation.criterion import Cell, Criterion, flow_count
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import DELAY_95, UTILISATION

DELAYS: Mapping[str, Mapping[str, object]] = {
    "delay 20 ms more from 10 s on": {"delay": {"steps": [["0 s", "18 ms"], ["10 s", "38 ms"]]}},
    "delay 20 ms more, and back, every 10 s": {
        "delay": {"steps": [["0 s", "18 ms"], ["5 s", "38 ms"]], "every": "10 s"}
    },
    "jitter of up to 10 ms": {"impairments": [{"jitter": {"uniform": "10 ms"}}]},
}
"""Keys of a link whose one-way delay is 18 ms otherwise."""


def cells(quick: bool) -> tuple[Cell, ...]:
    """A delay that rises for good, one that rises and falls, and jitter."""
    return tuple(
        Cell(
            f"{flow_count(count)}, {name}",
            dumbbell(20, 40, 1, [flows("long", count)], seconds=40 if quick else 120, link=link),
        )
        for count in ((2,) if quick else (1, 4))
        for name, link in DELAYS.items()
    )


CRITERION = Criterion(
    key="varying-delay",
    section="7.3",
    title="Delay that varies",
    force="SHOULD",
    question="Does it mistake a longer path for a queue, or a shorter one for capacity?",
    experiment="Long flows over 20 Mbit/s whose propagation delay steps up and down, or has jitter.",
    measures=(UTILISATION, DELAY_95),
    cells=cells,
    measure=measure,
)
