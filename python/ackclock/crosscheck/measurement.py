"""The measurements of a run, and the columns of the comparison: the stacks that can run a case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ackclock.crosscheck.cases import Case

__all__ = ["Column", "Measurement", "loss_period"]

APART_S = 0.4
"""Drops further apart than this are of different congestion episodes."""


@dataclass(frozen=True)
class Measurement:
    """The flow of one run, after its warm-up."""

    goodput_bit_per_s: float
    loss_period_s: float | None
    """The mean time between congestion episodes at the bottleneck; none for fewer than three."""
    retransmissions: int
    """Packets sent again; in the simulator the dropped packets, since each is sent again."""
    mean_rtt_s: float
    lateness_p99_s: float | None = None
    """The lateness that 99 % of the packets did not exceed on an emulated link."""
    on_time: bool = True
    """False if the host delayed the emulated link's packets too much."""


class Column(Protocol):
    """A stack that runs cases: a module for each."""

    name: str
    """Its heading."""
    payload: int
    """Bytes for the application in a packet of 1500 bytes on the wire; the simulator's packets carry as
    many."""
    is_exact: bool
    """True if a run has no randomness, so that one is enough."""

    def lacks(self) -> str | None:
        """The requirements that this machine lacks; empty if it lacks none."""

    def refuses(self, case: Case) -> str | None:
        """The reason why it cannot run a case; empty if it can."""

    def measure(self, case: Case) -> Measurement:
        """Runs a case."""


def loss_period(drops_s: Sequence[float], warm_up_s: float) -> float | None:
    """The mean time between congestion episodes after the warm-up, from the ascending times of drops."""
    episodes: list[float] = []
    last = float("-inf")
    for time in drops_s:
        if time - last > APART_S and time >= warm_up_s:
            episodes.append(time)
        last = time
    if len(episodes) < 3:
        return None
    return (episodes[-1] - episodes[0]) / (len(episodes) - 1)
