"""A receiver of TCP whose application reads slowly, or whose buffer is tuned.

The window is by RFC 9293, 3.8.6: whole segments only, which avoids small ones (3.8.6.2.2), and never
withdrawn. Window updates without data are those of 4.4BSD: when the window can move by two segments, or by
half of the buffer. Tuning is that of Linux (``tcp_rcv_space_adjust``, ``tcp_rcv_rtt_update``).

Sequence numbers count bytes, the first of which has number 1. Times are in integer nanoseconds.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction

BITS = 8_000_000_000
"""Bit-nanoseconds in a byte-second."""


@dataclass
class Tuning:
    """The largest buffer needed so far: twice the bytes read in a round trip, and more while they grow."""

    most: int
    segment: int
    timestamps: bool
    space: int
    """The bytes read in the last measured round trip; ten segments, or the buffer, before the first."""
    rtt: int = 0
    """The round trip in eighths of nanoseconds."""
    echo: int = 0
    window_ends: int | None = None
    window_began: int = 0
    measured_from: int = 1
    measured_since: int = 0

    def on_data(self, now: int, length: int, echo: int, expected: int, window: int) -> None:
        """Measures the round trip: by timestamps, or by the time that it takes to fill a window."""
        if self.timestamps:
            if echo != self.echo and length >= self.segment:
                self.sample(max(now // 1000 - echo, 1) * 1000, smooth=True)
            self.echo = echo
            return
        if self.window_ends is None:
            self.window_ends, self.window_began = expected + window, now
        if expected >= self.window_ends:
            self.sample(max(now - self.window_began, 1), smooth=False)
            self.window_ends, self.window_began = expected + window, now

    def sample(self, rtt: int, *, smooth: bool) -> None:
        """A smaller sample replaces the mean."""
        if self.rtt == 0 or 8 * rtt < self.rtt:
            self.rtt = 8 * rtt
        elif smooth:
            self.rtt += rtt - self.rtt // 8

    def wanted(self, now: int, read: int) -> int:
        """The buffer needed for the bytes read, once in a round trip."""
        if self.rtt == 0 or now - self.measured_since < self.rtt // 8:
            return 0
        copied = read - self.measured_from
        self.measured_from, self.measured_since = read, now
        if copied <= self.space:
            return 0
        window = 2 * copied + 16 * self.segment
        window += 2 * (window * (copied - self.space) // self.space)
        self.space = copied
        return min(window, self.most) // self.segment * self.segment


@dataclass
class BufferedReceiver:
    """A receiver with a buffer of ``size`` bytes, read at ``rate`` bit/s, or at once."""

    segment: int
    size: int
    rate: int | None = None
    initial: int | None = None
    segments_per_ack: int = 1
    ack_delay: int = 0
    timestamps: bool = False
    expected: int = 1
    above: list[tuple[int, int]] = field(default_factory=list)
    waiting: int = 0
    ack_at: int | None = None
    ack_now: bool = False
    read: Fraction = Fraction(1)
    read_at: int = 0

    def __post_init__(self) -> None:
        self.size = self.whole(self.size)
        most, self.tuning = self.size, None
        if self.initial is not None:
            self.size = min(self.whole(self.initial), most)
            space = min(self.size, 10 * self.segment)
            self.tuning = Tuning(most, self.segment, self.timestamps, space)
        self.edge, self.window = 1 + self.size, self.size

    def whole(self, size: int) -> int:
        """Room for whole segments, one at least."""
        return max(size // self.segment, 1) * self.segment

    @property
    def most(self) -> int:
        """The largest window that may be announced."""
        return self.size

    def pass_time(self, now: int) -> None:
        """The application reads."""
        if self.rate is None:
            self.read = Fraction(self.expected)
        else:
            more = Fraction(self.rate * (now - self.read_at), BITS)
            self.read = min(self.read + more, Fraction(self.expected))
        self.read_at = now

    def on_segment(self, now: int, first: int, length: int, echo: int = 0) -> None:
        """Data arrives; data beyond the window is refused, and acknowledged (RFC 9293, 3.10.7.4)."""
        self.pass_time(now)
        end = first + length
        if length == 0:
            # A probe.
            self.ack_now |= not self.expected <= first <= self.edge
        elif end > self.edge or end <= self.expected:
            self.ack_now = True
        elif first > self.expected:
            self.above.append((first, end))
            self.ack_now = True
        else:
            self.take(now, end, length, echo)

    def take(self, now: int, end: int, length: int, echo: int) -> None:
        """Takes data in order, together with the data that came early."""
        filled = bool(self.above)
        self.expected = end
        for first, last in sorted(self.above):
            if first <= self.expected:
                self.expected = max(self.expected, last)
        self.above = [block for block in self.above if block[0] > self.expected]
        if filled:
            self.ack_now = True
        else:
            self.waiting += 1
            if self.waiting >= self.segments_per_ack:
                self.ack_now = True
            elif self.ack_at is None:
                self.ack_at = now + self.ack_delay
        if self.rate is None:
            self.read = Fraction(self.expected)
        if self.tuning is not None:
            self.tuning.on_data(now, length, echo, self.expected, self.window)
            self.size = max(self.size, self.tuning.wanted(now, math.floor(self.read)))

    def on_timer(self, now: int) -> None:
        """The delay of an acknowledgment is over, or a window update is due."""
        due = self.deadline
        if due is not None and due <= now:
            self.ack_now = True

    def reply(self, now: int) -> tuple[int, int] | None:
        """The acknowledgment that is due, with its window."""
        if not self.ack_now:
            return None
        self.pass_time(now)
        room = min(self.size - (self.expected - math.floor(self.read)), self.most)
        self.edge = max(self.edge, self.expected + max(room // self.segment * self.segment, 0))
        self.ack_now, self.waiting, self.ack_at = False, 0, None
        self.window = self.edge - self.expected
        return self.expected, self.window

    @property
    def deadline(self) -> int | None:
        """The earlier of both timers."""
        times = [time for time in (self.ack_at, self.update_at()) if time is not None]
        return min(times, default=None)

    def update_at(self) -> int | None:
        """The time at which reading lets the window move by two segments or half the buffer."""
        if self.rate is None:
            return None
        half = self.size // 2 // self.segment * self.segment
        step = min(max(half, self.segment), 2 * self.segment, self.most)
        room = self.edge - self.expected + step
        room += -room % self.segment
        target = self.expected + room - self.size
        if target > self.expected or room > self.most:
            return None
        wait = max(target - self.read, Fraction(0)) * BITS / self.rate
        return math.ceil(self.read_at + wait)
