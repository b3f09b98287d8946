"""The moment at which two runs on one path part, and the gauges that change there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ackclock.attacks.networks import OWN
from ackclock.measures import over_time
from ackclock.measures.record import RunRecord

__all__ = ["SERIES", "Changed", "Parting", "parting", "series"]

Floats = NDArray[np.float64]

SERIES = {
    "goodput_bit_per_s": ("goodput", "Mbit/s", 1e-6),
    "cwnd_packets": ("window", "packets", 1.0),
    "rtt_s": ("round trip", "ms", 1e3),
    "in_flight_packets": ("in flight", "packets", 1.0),
    "retransmissions": ("sent again", "packets", 1.0),
}
"""The series of a flow by their columns: name, unit, factor."""

SMOOTH_S = 1.0
"""The time over which rates are averaged."""

AROUND_S = 2.0
"""The time before and after the moment in which gauges are compared."""

STAYS_S = 2.0
"""The time for which runs must differ to have parted."""

MOST_GAUGES = 6

CHANGED = 0.2
"""The least change of a gauge, relative to the larger value."""


@dataclass(frozen=True)
class Changed:
    """A series, or a gauge of the first own flow, before the moment and after it."""

    name: str
    before: float
    after: float

    @property
    def size(self) -> float:
        """The change, relative to the larger of both."""
        largest = max(abs(self.before), abs(self.after))
        return abs(self.after - self.before) / largest if largest > 0 else 0.0


@dataclass(frozen=True)
class Parting:
    """The moment at which two runs part."""

    at_s: float
    changed: tuple[Changed, ...]
    """The changes in the algorithm around it, the greatest first."""


def series(result: RunRecord, column: str) -> tuple[Floats, Floats]:
    """A series of the own flows: rates and counts are summed, the others averaged, missing values are NaN."""
    values = np.vstack([over_time.of_flow(result, number)[column] for number in _own(result)])
    is_sum = column in ("goodput_bit_per_s", "retransmissions")
    known = np.isfinite(values)
    total = np.where(known, values, 0.0).sum(axis=0)
    count = known.sum(axis=0)
    together = np.where(count > 0, total if is_sum else total / np.maximum(count, 1), np.nan)
    return over_time.sample_times(result), together


def _own(result: RunRecord) -> list[int]:
    """The numbers of the own flows."""
    flows = result.columns("flows")
    pairs = zip(flows["flow"], flows["name"], strict=True)
    return [int(number) for number, name in pairs if str(name).startswith(OWN)]


def smoothed(times: Floats, values: Floats) -> Floats:
    """The mean over a second around each time."""
    step = times[1] - times[0] if times.size > 1 else SMOOTH_S
    width = max(round(SMOOTH_S / step), 1)
    filled = np.nan_to_num(values)
    kernel = np.ones(width)
    found: Floats = np.convolve(filled, kernel, mode="same") / np.convolve(
        np.ones_like(filled), kernel, mode="same"
    )
    return found


def parting(mine: RunRecord, other: RunRecord, column: str) -> Parting | None:
    """The moment at which two runs part for two seconds at least, by half of their mean difference."""
    times, first = series(mine, column)
    _, second = series(other, column)
    size = min(first.size, second.size)
    apart = np.abs(smoothed(times[:size], first[:size]) - smoothed(times[:size], second[:size]))
    if not size or not apart.any():
        return None
    far = apart > 0.5 * apart.mean()
    step = times[1] - times[0]
    stays = max(int(STAYS_S / step), 1)
    for place in np.flatnonzero(far[: size - stays + 1]):
        if far[place : place + stays].all():
            at_s = float(times[place])
            return Parting(at_s, tuple(_changed(mine, at_s)))
    return None


def _changed(result: RunRecord, at_s: float) -> Sequence[Changed]:
    found = []
    for column, (name, unit, factor) in SERIES.items():
        times, values = series(result, column)
        if column == "retransmissions":
            values = np.diff(values, prepend=0.0)
        found.append(_around(f"{name} [{unit}]", times, values * factor, at_s))
    gauges = result.tables.get("gauges")
    if gauges is not None and gauges.height:
        # A class has none, and flows next to it may have some.
        for (name,), rows in gauges.filter(gauges["flow"] == _own(result)[0]).group_by(
            "name", maintain_order=True
        ):
            found.append(_around(str(name), rows["time_s"].to_numpy(), rows["value"].to_numpy(), at_s))
    changed = [each for each in found if np.isfinite(each.size) and each.size >= CHANGED]
    return sorted(changed, key=lambda each: -each.size)[:MOST_GAUGES]


def _around(name: str, times: Floats, values: Floats, at_s: float) -> Changed:
    def mean(begin: float, end: float) -> float:
        inside = (times >= begin) & (times < end) & np.isfinite(values)
        if inside.any():
            return float(values[inside].mean())
        before = (times < end) & np.isfinite(values)
        return float(values[before][-1]) if before.any() else float("nan")

    return Changed(name, mean(at_s - AROUND_S, at_s), mean(at_s, at_s + AROUND_S))
