"""Runs of calls over one bottleneck, and what claims measure of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ackclock
from ackclock.evaluation.rmcat.quantities import Calls

__all__ = ["BETWEEN_FRAMES", "Run", "call", "run"]

BETWEEN_FRAMES = {"trace": {"interval": "31 ms"}}
"""Samples that drift over the 33.3 ms between two frames."""

Table = Mapping[str, Any]
Span = tuple[float, float]


class Run(Calls):
    """A run with the gauges of its congestion controls."""

    def gauge(self, name: str, place: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The times and the values of a gauge of a call."""
        gauges = self.result.columns("gauges")
        mine = np.array([str(each) == name for each in gauges["name"]], dtype=bool)
        mine &= np.asarray(gauges["flow"]) == self.rows[place]
        time, value = (np.asarray(gauges[column], dtype=float)[mine] for column in ("time_s", "value"))
        return time, value

    def mean_gauge(self, name: str, span: Span, place: int = 0) -> float:
        """The mean of a gauge in a span."""
        time, value = self.gauge(name, place)
        return float(value[(time > span[0]) & (time <= span[1])].mean())

    def waits(self, span: Span) -> NDArray[np.float64]:
        """The bytes that wait for the pacer in a span; samples must not fall on the times of frames."""
        time, value = self.gauge("waiting_bytes")
        found: NDArray[np.float64] = value[(time > span[0]) & (time <= span[1])]
        return found

    def swing(self, span: Span) -> float:
        """The standard deviation of the rates of seconds over their mean."""
        return self.oscillation(span)

    def link(self, column: str, name: str = "left->right") -> float:
        """A value of a link direction."""
        links = self.result.columns("links")
        return float(links[column][list(links["name"]).index(name)])


def call(algorithm: str, **keys: object) -> dict[str, object]:
    """A call with the encoder of RFC 8867, 4.3."""
    return {"algorithm": algorithm, "variation": 0.1, "encoder_lag": "100 ms", **keys}


def run(
    calls: Sequence[Table],
    rate: object = "1 Mbit/s",
    *,
    one_way_ms: float = 50,
    seconds: float = 100,
    link: Table | None = None,
    reverse: str = "10 Mbit/s",
    traffic: Mapping[str, object] | None = None,
) -> Run:
    """Calls over a drop-tail link of 300 ms, one way of this delay; `traffic` has further tables."""
    bottleneck = {
        "rate": rate,
        "delay": f"{one_way_ms - 2:g} ms",
        "buffer": "300 ms",
        "reverse": {"rate": reverse},
        **(link or {}),
    }
    scenario = {
        "name": "claim",
        "duration": f"{seconds:g} s",
        "topology": {
            "dumbbell": {
                "pairs": 4,
                "bottleneck": bottleneck,
                "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
            }
        },
        "call": list(calls),
        "trace": {"interval": "200 ms"},
        **(traffic or {}),
    }
    return Run(ackclock.run(scenario))
