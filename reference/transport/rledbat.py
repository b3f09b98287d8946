"""A receiver of TCP that holds its sender to less than best effort: rLEDBAT, RFC 9840.

Its text could be had in parts: from its first page, from implementations that cite its sections, and from the
authors' module for Linux.

- 4.1: fcwnd is the window by the buffer, RLWND the one by the congestion control of the receiver, which is
  LEDBAT++ or another one; RCV.WND = min(RLWND, fcwnd). The sender's own congestion control goes on.
- 4.1.1: the window never shrinks: with a segment it falls by the bytes that arrive at most.
- 4.2.1: a round-trip time is the time from the first segment that was sent with a TSval to the first that
  comes with it as TSecr. A TSval that went out with a reduced window measures none: the sender had to wait.
- 4.3: a segment is a retransmission if SEG.SEQ < RCV.HGH and its TSval is larger than TSV.HGH, the one of the
  segment with the highest byte. It halves RLWND, once in a round trip.
- Appendix A: round-trip times begin at their maximum, by which LEDBAT++ has a gain of 1 before the first.

Left open there, and chosen here:

- the controller is told of each segment with data as a sender is of an acknowledgment. New bytes are
  delivered, in order or not. RLWND has whole segments;
- smoothed round-trip times are by RFC 6298. While one passes after a halving, growth is suspended;
- RLWND begins with the initial window. There is no timeout: only the sender has one.

The text is silent on these, and this reading follows the compiled one:

- the window may grow after data has reached the last segment of the window that its sender knew, in this
  round trip or in the one before. A round trip ends with the first answer to what was sent since it began;
- while data is missing the right edge stays, for a sender counts acknowledgments with another window as no
  duplicates (RFC 5681, 2);
- a TSecr of 0, and one that was never sent, measures nothing. It answers all that was sent before it.
"""

import math
from dataclasses import dataclass, field
from typing import Protocol

from reference.facts import Ack, Congestion, Signal, Start
from reference.transport.receive_buffer import BufferedReceiver


class Controller(Protocol):
    """A congestion control of less than best effort."""

    cwnd: float

    def begin(self, start: Start) -> None:
        """The connection begins."""

    def on_ack(self, ack: Ack) -> None:
        """Data arrived."""

    def on_congestion(self, event: Congestion) -> None:
        """A retransmission arrived."""


@dataclass
class Sent:
    """The segments that went out with one TSval, and await an answer."""

    first_at: int
    edge: int
    reduces: bool


@dataclass(kw_only=True)
class RledbatReceiver(BufferedReceiver):
    """A receiver whose window follows the delay. Timestamps are its clock in microseconds."""

    controller: Controller
    initial_window: float = 10.0
    highest: int = 0
    highest_value: int = 0
    smoothed: float = 0.0
    min_rtt: int = 0
    suspended_until: int = 0
    known_edge: int = 0
    round_began: int = 0
    reaches: bool = True
    reached: bool = True
    sent: dict[int, Sent] = field(default_factory=dict)
    """By TSval, the oldest first."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.controller.begin(Start(initial_window=self.initial_window))
        self.window = min(self.size, self.rlwnd)
        self.edge = 1 + self.window

    @property
    def rlwnd(self) -> int:
        """The controller's window in bytes."""
        return int(self.controller.cwnd) * self.segment

    @property
    def most(self) -> int:
        """RLWND; while data is missing, a window that leaves the right edge where it is."""
        return 0 if self.above else self.rlwnd

    @property
    def srtt(self) -> int:
        """RFC 6298's, to the nearest nanosecond."""
        return math.floor(self.smoothed + 0.5)

    def on_data(self, now: int, first: int, length: int, value: int, echo: int) -> None:
        """A segment with data, its TSval and its TSecr."""
        arrived, refused = self.arrived, first + length > self.edge
        self.on_segment(now, first, length, echo)
        if refused:
            return
        rtt = self.measure(now, echo)
        if self.is_retransmission(first, length, value) and now >= self.suspended_until:
            self.suspended_until = now + self.srtt
            self.controller.on_congestion(
                Congestion(
                    now=now / 1e9,
                    signal=Signal.LOSS,
                    flight=self.controller.cwnd,
                    restart=False,
                    repeated=False,
                )
            )
        self.reaches |= first + length > self.known_edge - self.segment
        delivered = (self.arrived - arrived) / self.segment
        self.controller.on_ack(
            Ack(
                now=now / 1e9,
                delivered=delivered,
                in_flight=self.window / self.segment,
                rtt=None if rtt is None else rtt / 1e9,
                srtt=self.srtt / 1e9,
                min_rtt=self.min_rtt / 1e9,
                round=0,
                suspended=now < self.suspended_until,
                advanced=delivered > 0,
                window_limited=self.reaches or self.reached,
            )
        )

    @property
    def arrived(self) -> int:
        """Bytes received, in order or beyond a hole."""
        found = self.expected
        end = self.expected
        for first, last in sorted(self.above):
            found += max(last - max(first, end), 0)
            end = max(end, last)
        return found

    def measure(self, now: int, echo: int) -> int | None:
        """4.2.1; and the right edge that the sender knew, and its round trip."""
        sent = self.sent.get(echo)
        while echo and self.sent and (oldest := next(iter(self.sent))) <= echo:
            self.known_edge = self.sent.pop(oldest).edge
        if not echo or sent is None:
            return None
        if echo >= self.round_began:
            self.round_began = now // 1000
            self.reached, self.reaches = self.reaches, False
        if sent.reduces:
            return None
        rtt = now - sent.first_at
        self.smoothed = self.smoothed + (rtt - self.smoothed) / 8 if self.smoothed else rtt
        self.min_rtt = min(self.min_rtt, rtt) if self.min_rtt else rtt
        return rtt

    def is_retransmission(self, first: int, length: int, value: int) -> bool:
        """4.3."""
        found = first < self.highest and value > self.highest_value
        last = first + length - 1
        if last > self.highest:
            self.highest, self.highest_value = last, value
        return found

    def reply(self, now: int) -> tuple[int, int] | None:
        """The acknowledgment that is due, with RCV.WND."""
        window = self.window
        answer = super().reply(now)
        if answer is None:
            return None
        sent = self.sent.setdefault(now // 1000, Sent(now, self.edge, reduces=False))
        sent.edge = self.edge
        sent.reduces |= self.window < window
        return answer
