"""The virtual clocks of shaper and tins: `cake_advance_shaper`, and the first lines of `cake_enqueue`.

The shaper "operates in deficit mode": it sends while its clock is not ahead of time, and each packet moves
the clock by its duration. No tokens are saved up, because the clock of an idle shaper follows the time.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Shaper", "TinClock", "duration"]

SECOND = 1_000_000_000
SLOWEST = 512
"""Bits per second: a lower rate counts as this one."""


def duration(length: int, rate: int | None) -> int:
    """The nanoseconds that this many bytes take; none without a rate."""
    return length * 8 * SECOND // max(rate, SLOWEST) if rate is not None else 0


@dataclass
class Shaper:
    """The clock of the whole."""

    rate: int | None
    next_packet: int = 0
    """The time at which the packets charged are through."""
    failsafe: int = 0
    """The same for packets sent, each for 1.5 durations.

    Dropped packets cost time only in ingress mode. With this clock they leave two thirds of the rate, or
    more, to packets that are sent.
    """

    @property
    def opens(self) -> int:
        """The time from which on a packet may leave."""
        return min(self.next_packet, self.failsafe)

    def catch_up(self, now: int) -> None:
        """A packet came while none waited."""
        if self.next_packet < now:
            self.next_packet = self.failsafe = now

    def charge(self, length: int, *, sent: bool) -> None:
        """A packet was sent or dropped."""
        taken = duration(length, self.rate)
        self.next_packet += taken
        if sent:
            self.failsafe += taken + taken // 2


@dataclass
class TinClock:
    """The clock of a tin, by which it is within its rate or above it."""

    rate: int | None
    next_packet: int = 0

    def catch_up(self, now: int) -> None:
        """A packet came while none waited in the tin."""
        self.next_packet = max(self.next_packet, now)

    def charge(self, length: int, now: int) -> None:
        """A tin that borrows is at most the packet's duration ahead, or as far as it was."""
        taken = duration(length, self.rate)
        if self.next_packet < now:
            self.next_packet += taken
        else:
            self.next_packet = max(self.next_packet, now + taken)
