"""A receiver of TCP that holds its sender to less than best effort: rLEDBAT, RFC 9840.

Its text could be had in parts: from its first page, from implementations that cite its sections, and from the
authors' module for Linux.

- 4.1: fcwnd is the window by the buffer, RLWND the one by the congestion control of the receiver, which is
  LEDBAT++ or another one; RCV.WND = min(RLWND, fcwnd). The sender's own congestion control goes on.
- 4.1.1: the window never shrinks: with a segment it falls by the bytes that arrive at most.
- 4.2.1: a round-trip time is the time from the first segment that was sent with a TSval to the first that
  comes with it as TSecr. One that begins with a reduction of the window is none: the sender had to wait.
- 4.3: a segment is a retransmission if SEG.SEQ < RCV.HGH and its TSval is larger than TSV.HGH, the one of the
  segment with the highest byte. It halves RLWND, once in a round trip.

Left open there, and chosen here:

- the controller is told of each segment with data as a sender is of an acknowledgment. New bytes are
  delivered, in order or not. RLWND has whole segments;
- the window held the sender, and may grow, if a segment ends within two segments of the right edge that the
  acknowledgment with its TSecr announced. Where that is not known, the last judgment stays;
- smoothed round-trip times are by RFC 6298. While one passes after a halving, growth is suspended;
- RLWND begins with the initial window. There is no timeout: only the sender has one.
"""

from dataclasses import dataclass, field
from typing import Protocol

from reference.facts import Ack, Congestion, Signal, Start
from reference.transport.receive_buffer import BufferedReceiver

NEAR_EDGE = 2
"""Segments."""


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
    """The segments that went out with one TSval."""

    first_at: int
    edge: int
    reduces: bool
    answered: bool = False


@dataclass(kw_only=True)
class RledbatReceiver(BufferedReceiver):
    """A receiver whose window follows the delay. Timestamps are its clock in microseconds."""

    controller: Controller
    initial_window: float = 10.0
    highest: int = 0
    highest_value: int = 0
    srtt: int = 0
    min_rtt: int = 0
    suspended_until: int = 0
    held_the_sender: bool = True
    sent: dict[int, Sent] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.controller.begin(Start(initial_window=self.initial_window))
        self.window = min(self.size, self.rlwnd)
        self.edge = 1 + self.window

    @property
    def rlwnd(self) -> int:
        """The controller's window in bytes."""
        return int(self.controller.cwnd) * self.segment

    def on_data(self, now: int, first: int, length: int, value: int, echo: int) -> None:
        """A segment with data, its TSval and its TSecr."""
        arrived, refused = self.arrived, first + length > self.edge
        self.on_segment(now, first, length, echo)
        if refused:
            return
        rtt = self.measure(now, first + length, echo)
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
                window_limited=self.held_the_sender,
            )
        )

    @property
    def arrived(self) -> int:
        """Bytes received, in order or beyond a hole."""
        return self.expected + sum(end - first for first, end in set(self.above))

    def measure(self, now: int, end: int, echo: int) -> int | None:
        """4.2.1; and whether the window held the sender."""
        sent = self.sent.get(echo)
        if sent is None:
            return None
        self.held_the_sender = end + NEAR_EDGE * self.segment >= sent.edge
        if sent.answered:
            return None
        sent.answered = True
        # TSvals grow: those before are of no use any more.
        self.sent = {value: other for value, other in self.sent.items() if value >= echo}
        if sent.reduces:
            return None
        rtt = now - sent.first_at
        self.srtt = self.srtt + (rtt - self.srtt) // 8 if self.srtt else rtt
        self.min_rtt = min(self.min_rtt, rtt) if self.min_rtt else rtt
        return rtt

    def is_retransmission(self, first: int, length: int, value: int) -> bool:
        """4.3."""
        if first < self.highest and value > self.highest_value:
            return True
        last = first + length - 1
        if last > self.highest:
            self.highest, self.highest_value = last, value
        return False

    def reply(self, now: int) -> tuple[int, int] | None:
        """The acknowledgment that is due, with RCV.WND."""
        edge, window = self.edge, self.window
        answer = super().reply(now)
        if answer is None:
            return None
        self.edge = max(edge, min(self.edge, self.expected + self.rlwnd))
        self.window = self.edge - self.expected
        sent = self.sent.setdefault(now // 1000, Sent(now, self.edge, self.window < window))
        sent.edge = self.edge
        return self.expected, self.window
