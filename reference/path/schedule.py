"""A first-in first-out transmitter whose rate is a function of time, by exact arithmetic.

The transmitter works whenever a packet waits. A packet's last bit leaves when the integral of the rate over
the time that the transmitter has worked equals the bits of all packets up to it. That instant is a real
number; the simulator's clock shows it as the next whole nanosecond, and the rounding of one packet's
departure changes no other's.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction

__all__ = ["Schedule", "departures"]

SECOND = 1_000_000_000


class Schedule:
    """The rate in bits per second between points of (nanoseconds, rate): steps, or straight lines.

    Before the first point the rate is the first's, after the last the last's, unless the schedule begins
    again every `every` nanoseconds.
    """

    def __init__(
        self, points: Sequence[tuple[int, int]], *, linear: bool = False, every: int | None = None
    ) -> None:
        self.points = list(points)
        self.linear = linear
        self.every = every

    def pieces(self, until: int) -> list[tuple[int, int, Fraction, Fraction]]:
        """(from, to, rate there, rate here) in order, up to `until`."""
        pieces = []
        base = 0
        while base < until:
            end = base + self.every if self.every is not None else until
            points = [(base + at, Fraction(rate)) for at, rate in self.points if base + at < end]
            if points[0][0] > base:
                points.insert(0, (base, points[0][1]))
            for (start, rate), following in zip(points, [*points[1:], None], strict=True):
                stop, reached = (end, rate) if following is None else following
                if not self.linear:
                    reached = rate
                pieces.append((start, stop, rate, reached))
            base = end
        return pieces

    def integral(self, until: int) -> Callable[[int], Fraction]:
        """Bits (times 1e9) from 0 to a time, which is not after `until`."""
        pieces = self.pieces(until)
        starts = [start for start, _, _, _ in pieces]
        sums = [Fraction(0)]
        for start, stop, rate, reached in pieces:
            sums.append(sums[-1] + (rate + reached) / 2 * (stop - start))

        def to(time: int) -> Fraction:
            index = bisect_right(starts, time) - 1
            start, stop, rate, reached = pieces[index]
            span = time - start
            return sums[index] + rate * span + (reached - rate) / (stop - start) * span * span / 2

        return to


def departures(schedule: Schedule, packets: Sequence[tuple[int, int]], *, until: int) -> list[int | None]:
    """When each of (arrival in nanoseconds, bytes) has left, in whole nanoseconds; none after `until`."""
    integral = schedule.integral(until)
    done = Fraction(0)
    left: list[int | None] = []
    for arrival, size in packets:
        done = max(done, integral(arrival)) + size * 8 * SECOND
        if integral(until) < done:
            left.append(None)
            continue
        low, high = arrival, until
        while low < high:
            middle = (low + high) // 2
            if integral(middle) >= done:
                high = middle
            else:
                low = middle + 1
        left.append(low)
    return left
