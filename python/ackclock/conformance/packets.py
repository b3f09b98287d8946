"""The data packets that passed a link direction of a run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

__all__ = ["NotSeenError", "Packets", "first"]


class NotSeenError(LookupError):
    """A thing that a case waits for never came; the argument names it."""


def first(times_s: np.ndarray, what: str) -> float:
    """The first of the times at which something was so. Raises NotSeenError."""
    if not times_s.size:
        raise NotSeenError(what)
    return float(times_s[0])


@dataclass(frozen=True)
class Packets:
    """The data packets of the flow under test that passed a link direction, in order."""

    time_s: np.ndarray
    """Their arrivals at the far end of the link."""
    number: np.ndarray
    """Their places in the data, from 0."""
    ecn: np.ndarray
    """The two bits of their ECN field: 1 is ECT(1), 2 is ECT(0), 3 a mark."""

    @cached_property
    def is_again(self) -> np.ndarray:
        """True for packets that had passed before."""
        again = np.ones(len(self.number), dtype=bool)
        again[np.unique(self.number, return_index=True)[1]] = False
        return again

    def times(self, number: int) -> list[float]:
        """The times at which a packet passed."""
        found: list[float] = self.time_s[self.number == number].tolist()
        return found

    def first_again(self) -> tuple[float, int]:
        """The time and the number of the first packet that was sent again. Raises NotSeenError."""
        places = np.flatnonzero(self.is_again)
        if not places.size:
            raise NotSeenError("a packet that is sent again")
        return float(self.time_s[places[0]]), int(self.number[places[0]])
