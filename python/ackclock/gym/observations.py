"""The quantities that an agent can observe of a step, by names that end in their units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from ackclock._native import Worlds
from ackclock.errors import unknown

__all__ = ["COLUMNS", "DEFAULT", "OBSERVATIONS", "Observation", "Step", "checked"]


@dataclass(frozen=True)
class Observation:
    """A quantity that an agent can observe, and the largest value that observations have."""

    meaning: str
    largest: float


OBSERVATIONS = {name: Observation(meaning, largest) for name, meaning, largest in Worlds.observations()}
"""The quantities that an agent can observe, by name."""

COLUMNS = {name: column for column, name in enumerate(OBSERVATIONS)}
"""The index of each observation among the simulator's observations."""

DEFAULT = ("goodput_share", "rtt_share", "loss_share", "queueing_s", "cwnd_packets")


class Step:
    """The observations of a step: `step["goodput_bit_per_s"]` is a number, or an array of all agents."""

    __slots__ = ("values",)

    def __init__(self, values: Sequence[Any] | NDArray[Any]) -> None:
        self.values = values
        """A value for each of `OBSERVATIONS`, in their order."""

    def __getitem__(self, name: str) -> Any:
        """An observation by its name. Raises InputError."""
        try:
            return self.values[COLUMNS[name]]
        except KeyError:
            raise unknown("observation", name, OBSERVATIONS) from None


def checked(names: Sequence[str]) -> tuple[str, ...]:
    """The names, each of which is an observation. Raises InputError."""
    for name in names:
        if name not in OBSERVATIONS:
            raise unknown("observation", name, OBSERVATIONS)
    return tuple(names)
