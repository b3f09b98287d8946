"""The quantities that an agent can observe of a step, by names that end in their units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ackclock._native import Worlds
from ackclock.errors import unknown

__all__ = ["DEFAULT", "OBSERVATIONS", "Observation", "Step", "checked", "observe"]

Array = NDArray[np.float64]

FACTS = {name: column for column, name in enumerate(Worlds.facts())}
"""The column of each fact that the simulator counts."""


class Step:
    """The facts of one step, a row for each agent; `step["goodput_bit_per_s"]` is an observation of all."""

    def __init__(self, facts: Array, most_packets_per_s: Array) -> None:
        self.facts = facts
        self.most_packets_per_s = most_packets_per_s
        """The largest goodput of a step so far in the episode, of each agent."""

    def __len__(self) -> int:
        return len(self.facts)

    def __getitem__(self, name: str) -> Array:
        """An observation by its name. Raises InputError."""
        if name not in OBSERVATIONS:
            raise unknown("observation", name, OBSERVATIONS)
        return OBSERVATIONS[name].of(self)

    def fact(self, name: str) -> Array:
        """A fact that the simulator counts, by its name."""
        return self.facts[:, FACTS[name]]


@dataclass(frozen=True)
class Observation:
    """A quantity that an agent can observe, and the largest value that is shown of it."""

    meaning: str
    largest: float
    of: Callable[[Step], Array]


def _fact(name: str) -> Callable[[Step], Array]:
    return lambda step: step.fact(name)


def _share(part: Array, whole: Array) -> Array:
    """`part / whole`, zero where there is nothing to have a share in."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _goodput(step: Step) -> Array:
    return _share(step.fact("delivered_packets"), step.fact("duration_s"))


def _loss(step: Step) -> Array:
    lost = step.fact("lost_packets")
    return _share(lost, lost + step.fact("delivered_packets"))


OBSERVATIONS: dict[str, Observation] = {
    "duration_s": Observation("The length of the step.", 1e3, _fact("duration_s")),
    "delivered_packets": Observation("Packets newly known to be delivered.", 1e9, _fact("delivered_packets")),
    "lost_packets": Observation("Packets newly declared lost.", 1e9, _fact("lost_packets")),
    "loss_share": Observation("Packets lost among those lost and delivered.", 1.0, _loss),
    "goodput_packets_per_s": Observation("Packets delivered per second.", 1e9, _goodput),
    "goodput_bit_per_s": Observation(
        "Bits of data delivered per second.",
        1e13,
        lambda step: _goodput(step) * step.fact("segment_bytes") * 8,
    ),
    "goodput_share": Observation(
        "The goodput by the largest of the episode so far.",
        1.0,
        lambda step: _share(_goodput(step), step.most_packets_per_s),
    ),
    "rtt_mean_s": Observation(
        "The mean round-trip time; smoothed (RFC 6298) where the step has no sample.",
        1e3,
        _fact("rtt_mean_s"),
    ),
    "rtt_last_s": Observation("The latest round-trip time.", 1e3, _fact("rtt_last_s")),
    "rtt_min_s": Observation("The smallest round-trip time since the start.", 1e3, _fact("rtt_min_s")),
    "srtt_s": Observation("The smoothed round-trip time (RFC 6298).", 1e3, _fact("srtt_s")),
    "rtt_share": Observation(
        "The mean round-trip time by the smallest.",
        1e6,
        lambda step: _share(step.fact("rtt_mean_s"), step.fact("rtt_min_s")),
    ),
    "queueing_s": Observation(
        "The mean round-trip time above the smallest.",
        1e3,
        lambda step: np.maximum(step.fact("rtt_mean_s") - step.fact("rtt_min_s"), 0.0),
    ),
    "in_flight_packets": Observation("Packets in flight.", 1e9, _fact("in_flight_packets")),
    "cwnd_packets": Observation("The congestion window in force.", 1e9, _fact("cwnd_packets")),
    "congestion_signals": Observation("Congestion episodes that began.", 1e9, _fact("congestion_signals")),
    "timeouts": Observation("Timeouts.", 1e9, _fact("timeouts")),
}

DEFAULT = ("goodput_share", "rtt_share", "loss_share", "queueing_s", "cwnd_packets")


def checked(names: Sequence[str]) -> tuple[str, ...]:
    """The names, each of which is an observation. Raises InputError."""
    for name in names:
        if name not in OBSERVATIONS:
            raise unknown("observation", name, OBSERVATIONS)
    return tuple(names)


def observe(step: Step, names: Sequence[str]) -> Array:
    """The observations of these names, one row for each agent, bounded by the largest values."""
    columns = [np.clip(OBSERVATIONS[name].of(step), 0.0, OBSERVATIONS[name].largest) for name in names]
    return np.stack(columns, axis=1)
