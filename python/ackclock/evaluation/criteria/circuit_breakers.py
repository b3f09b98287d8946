"""RFC 9743, 7.2: circuit breakers (RFC 8084), of which a sender that controls congestion triggers none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from ackclock.evaluation.criterion import Cell, Criterion, Measure
from ackclock.evaluation.networks import dumbbell, flows, udp
from ackclock.evaluation.quantities import GOODPUT, LOSS, goodputs, loss_of
from ackclock.measures.record import RunRecord

REMOVED = Measure("removed", "flows that a breaker removed", "%", 100, 0, "lower", 0.02)

LINK = {"impairments": ["circuit-breaker"]}
"""The defaults: above 10 % of loss in three successive intervals of 5 s, for each flow."""


def cells(quick: bool) -> tuple[Cell, ...]:
    """Shallow and deep buffers, a fall of the rate, a crowd, and datagrams that trigger the breaker."""
    fall = {"rate": {"steps": [["0 s", "20 Mbit/s"], ["20 s", "1 Mbit/s"]]}}
    blind = [udp("blind", 30_000, 1200)]

    def cell(
        name: str,
        buffer_bdp: float = 1,
        count: int = 4,
        rate: float = 20,
        link: Mapping[str, object] | None = None,
        datagrams: Sequence[Mapping[str, object]] = (),
    ) -> Cell:
        long = [flows("long", count)]
        seconds = 60 if quick else 100
        settings = dumbbell(
            rate, 40, buffer_bdp, long, seconds=seconds, link={**LINK, **(link or {})}, datagrams=datagrams
        )
        return Cell(name, settings | {"trace": {"interval": "1 s"}})

    chosen = (
        cell("4 flows, buffer 100 % of the BDP"),
        cell("4 flows, rate from 20 to 1 Mbit/s", link=fall),
        cell("4 flows beside datagrams at 150 %", datagrams=blind),
    )
    more = (cell("4 flows, buffer 10 % of the BDP", 0.1), cell("20 flows over 2 Mbit/s", count=20, rate=2))
    return chosen if quick else (*chosen, *more)


def measure(result: RunRecord) -> Mapping[str, float]:
    """The share of the flows that the breaker removed, their goodput and their losses."""
    names = [str(name) for name in result.columns("flows")["name"]]
    mine = {name for name in names if name.rstrip("0123456789") == "long"}
    removed = result.drops.filter(pl.col("reason") == "tripped")["flow"].unique()
    return {
        REMOVED.key: len(mine & {names[number] for number in removed}) / len(mine),
        GOODPUT.key: float(goodputs(result, "long").sum()),
        LOSS.key: loss_of(result, "long"),
    }


CRITERION = Criterion(
    key="circuit-breakers",
    section="7.2",
    title="Circuit breakers",
    force="should",
    question="Does it lose so much for so long that a circuit breaker removes it?",
    experiment=(
        "Long flows over a link with a circuit breaker (RFC 8084) for each flow: above 10 % of loss in three "
        "successive intervals of 5 s a flow is removed."
    ),
    measures=(REMOVED, GOODPUT, LOSS),
    cells=cells,
    measure=measure,
)
