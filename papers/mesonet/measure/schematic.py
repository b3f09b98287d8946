"""Figures 5-4 and 5-5: one flow with a round trip of a second, a scripted loss, and a scripted silence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ackclock import Result
from ackclock.papers import Context, Holds, Measured, Values

Floats = NDArray[np.float64]

AFTER_HANDSHAKE_S = 1.0
LIMIT = 16.0
"""sst_MAX of figure 5-5."""


@dataclass(frozen=True)
class Schematic:
    """A flow's window and threshold over time: seconds and packets, shapes (n,)."""

    time: Floats
    cwnd: Floats
    ssthresh: Floats

    @staticmethod
    def of(result: Result) -> Schematic:
        """The only flow of a run."""
        rows = result.flow_series
        names = ("time_s", "cwnd_packets", "ssthresh_packets")
        return Schematic(*(rows[name].to_numpy().astype(np.float64) for name in names))

    @property
    def loss(self) -> int:
        """The sample at which the window is first cut."""
        return int(np.flatnonzero(self.cwnd[1:] < 0.9 * self.cwnd[:-1])[0]) + 1

    @property
    def timeout(self) -> int:
        """The sample at which the window first restarts from its initial value."""
        after = np.flatnonzero((self.cwnd[1:] < 3) & (self.cwnd[:-1] > 3))
        return int(after[0]) + 1

    def reaches(self, packets: float, since: int) -> float:
        """When the window is first this large after a sample, in seconds; half a packet is the same."""
        there = np.flatnonzero(self.cwnd[since:] >= packets - 0.5)
        return float(self.time[since + there[0]])

    def per_round_trip(self, begin_s: float, end_s: float) -> Floats:
        """Windows in the middle of each round trip: acknowledgments come in bursts a second apart."""
        middles = np.arange(begin_s + 0.5, end_s, 1.0)
        return np.asarray(np.interp(middles, self.time, self.cwnd), dtype=np.float64)


def run(context: Context, name: str) -> Schematic:
    """One of the two scenarios, sampled every 10 ms."""
    return Schematic.of(context.run(context.scenario(name, {"trace.interval": "10 ms"})))


def growth(windows: Floats, low: float, high: float) -> Floats:
    """The growth per round trip between two windows."""
    inside = (windows[:-1] >= low) & (windows[1:] <= high)
    gains: Floats = np.diff(windows)[inside]
    return gains


def standard(flow: Schematic) -> dict[str, Measured]:
    """Figure 5-4."""
    loss, timeout = flow.loss, flow.timeout
    rise = flow.per_round_trip(AFTER_HANDSHAKE_S, float(flow.time[loss]))
    again = flow.per_round_trip(float(flow.time[timeout]), float(flow.time[-1]))
    doubling = 1 + growth(rise, 2, 128) / rise[:-1][(rise[:-1] >= 2) & (rise[1:] <= 128)]
    below, above = again[again <= 50], again[again >= 50]
    rates = [float(np.median(below[1:] / below[:-1])), float(np.mean(np.diff(above)))]
    return {
        "standard-slow-start": Values([float(np.mean(doubling))]),
        "standard-linear": Values([float(np.mean(growth(rise, 128, 151)))]),
        **scripted(flow, "standard"),
        "standard-hundred-time": Values([flow.reaches(100, loss)]),
        "standard-timeout-window": Values([float(flow.cwnd[timeout])]),
        "standard-after": Holds(
            [abs(rates[0] / 2 - 1) < 0.05, abs(rates[1] - 1) < 0.05],
            note=f"by a factor of {rates[0]:.3g} below, by {rates[1]:.3g} packets above",
        ),
    }


def limited(flow: Schematic) -> dict[str, Measured]:
    """Figure 5-5."""
    rise = flow.per_round_trip(AFTER_HANDSHAKE_S, float(flow.time[flow.loss]))
    again = flow.per_round_trip(float(flow.time[flow.timeout]), float(flow.time[-1]))
    below, above = again[again <= LIMIT], again[again >= 50]
    between = growth(again, LIMIT, 50)
    rates = [
        float(np.median(below[1:] / below[:-1])),
        float(np.mean(between)),
        float(np.mean(np.diff(above))),
    ]
    return {
        "limited-slow-start": Values([float(np.mean(growth(rise, LIMIT, 128)))]),
        **scripted(flow, "limited"),
        "limited-after": Holds(
            [abs(rates[0] / 2 - 1) < 0.05, abs(rates[1] / 8 - 1) < 0.15, abs(rates[2] - 1) < 0.05],
            note="by a factor of {:.3g}, then by {:.3g}, then by {:.3g} packets".format(*rates),
        ),
    }


def scripted(flow: Schematic, name: str) -> dict[str, Measured]:
    """The statements of both figures on the loss and on the timeout."""
    loss, timeout = flow.loss, flow.timeout
    return {
        f"{name}-loss-time": Values([float(flow.time[loss])]),
        f"{name}-loss-window": Values([float(flow.cwnd[loss])]),
        f"{name}-timeout-time": Values([float(flow.time[timeout])]),
        f"{name}-timeout-threshold": Values([float(flow.ssthresh[timeout])]),
    }
