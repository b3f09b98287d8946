"""Two flows under test among background traffic, as in the draft's sections 5.2 and 6.2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ackclock.evaluation.networks import Table
from ackclock.evaluation.tcpeval.networks import Central, Edges, dumbbell, sessions

__all__ = ["CENTRAL_MS", "two_flows"]

CENTRAL_MS = 2.0
"""The one-way delay of the central link."""

BACKGROUND = 0.5
"""The load of the background traffic."""


def two_flows(
    rate_mbit_per_s: float,
    round_trips_ms: tuple[float, float],
    buffer_s: float,
    first: Table,
    second: Table,
    *,
    seconds: float,
    warm_up_s: float,
) -> Mapping[str, object]:
    """A link with the nine paths, and two flows whose round trips their own edge links give."""
    links: list[Table] = []
    flows: list[Table] = []
    for number, (round_trip_ms, keys) in enumerate(zip(round_trips_ms, (first, second), strict=True), 1):
        delay = f"{(round_trip_ms / 2 - CENTRAL_MS) / 2:g} ms"
        source, sink = f"t{number}", f"t{number + 2}"
        links += [
            {"from": source, "to": "left", "rate": "1 Gbit/s", "delay": delay},
            {"from": "right", "to": sink, "rate": "1 Gbit/s", "delay": delay},
        ]
        flows.append({"from": source, "to": sink, **keys})
    background: Sequence[Table] = [sessions("file", BACKGROUND, rate_mbit_per_s)]
    return dumbbell(
        Central(rate_mbit_per_s, CENTRAL_MS, buffer_s), Edges(1000), [*flows, *background],
        seconds=seconds, warm_up_s=warm_up_s, more_links=links,
    )  # fmt: skip
