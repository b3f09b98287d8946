"""Token buckets in exact fractions: RFC 2475, 2.3.3.3 (shapers) and 2.3.3.4 (policers); Linux' tc-tbf(8).

A bucket of `burst` bytes is full at first, and fills at `rate`. A packet that passes takes its bytes. A
policer discards a packet for which there are too few tokens; at a shaper it waits for them, and so do the
packets behind it; then it is transmitted at the link's rate.

Chosen here: tokens are taken when a packet arrives at a policer, and when its transmission begins behind
a shaper; a packet larger than the bucket waits for a full one, and never passes a policer; transmissions
begin at whole nanoseconds, not before the tokens are there.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

SECOND = 1_000_000_000
"""Nanoseconds."""


class Bucket:
    """Tokens in bytes, as of a time in nanoseconds."""

    def __init__(self, rate_bit_per_s: int, burst_bytes: int) -> None:
        self.per_ns = Fraction(rate_bit_per_s, 8 * SECOND)
        self.burst = Fraction(burst_bytes)
        self.tokens = self.burst
        self.since = 0

    def fill(self, now: int) -> None:
        """Adds the tokens that came since the last call."""
        self.tokens = min(self.tokens + self.per_ns * (now - self.since), self.burst)
        self.since = now

    def ready(self, size: int, now: int) -> int:
        """The first nanosecond from now on with tokens for a packet."""
        self.fill(now)
        missing = min(Fraction(size), self.burst) - self.tokens
        return now + max(ceil(missing / self.per_ns), 0)

    def take(self, size: int, now: int) -> None:
        """A packet passes."""
        self.fill(now)
        self.tokens = max(self.tokens - size, Fraction(0))


def policed(bucket: Bucket, packets: Sequence[tuple[int, int]]) -> list[bool]:
    """True if each packet, an arrival in nanoseconds and a size in bytes, passes."""
    passed = []
    for arrival, size in packets:
        bucket.fill(arrival)
        passed.append(size <= bucket.tokens)
        if passed[-1]:
            bucket.take(size, arrival)
    return passed


def shaped(
    bucket: Bucket, link_bit_per_s: int, packets: Sequence[tuple[int, int]], *, until: int
) -> list[int | None]:
    """The time in nanoseconds at which each packet has left the link.

    None for a packet that has not left by the end.
    """
    left: list[int | None] = []
    idle = 0
    for arrival, size in packets:
        begin = bucket.ready(size, max(arrival, idle))
        bucket.take(size, begin)
        idle = begin + ceil(Fraction(8 * size * SECOND, link_bit_per_s))
        left.append(idle if idle <= until else None)
    return left
