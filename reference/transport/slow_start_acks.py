"""Delayed acknowledgments after slow start (Allman 1998; 3.3.3 of burst-tcp): a file over an idle path.

"The first step suggests the use of the delayed ACK scheme after the Slow Start phase but this scheme is hard
to implement." A receiver that delays acknowledges "every second data segment", or a single one after "some
time interval" (3.2.4). In slow start "each new ACK increases the congestion window by one segment" (3.2.5).

The text does not say how the receiver learns of the phase. Here each segment carries the phase that its
sender had when it left. Links take no time to transmit, and after slow start the window grows by a packet per
acknowledged window.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from math import floor, inf

__all__ = ["Receiver", "acknowledged"]


@dataclass
class Receiver:
    """The acknowledgments and their times; segments arrive in order."""

    delay_s: float
    after_slow_start: bool
    unacknowledged: int = 0
    received: int = 0
    deadline_s: float = inf

    def on_segment(self, now_s: float, *, in_slow_start: bool, last: bool) -> int | None:
        """The acknowledgment sent at once, or None if it waits for the deadline."""
        self.received += 1
        self.unacknowledged += 1
        at_once = self.after_slow_start and in_slow_start
        # The FIN comes with the last segment and is acknowledged at once.
        if at_once or last or self.unacknowledged == 2:
            return self.acknowledge()
        self.deadline_s = now_s + self.delay_s
        return None

    def acknowledge(self) -> int:
        """All that has arrived."""
        self.unacknowledged = 0
        self.deadline_s = inf
        return self.received


@dataclass
class Sender:
    """The window, counted in packets."""

    packets: int
    window: float
    threshold: float
    sent: int = 0
    acknowledged: int = 0

    def on_acknowledgment(self, upto: int) -> None:
        """By a packet below the threshold, by a share of a packet above."""
        count = upto - self.acknowledged
        self.acknowledged = upto
        if self.window < self.threshold:
            self.window += 1.0
        else:
            self.window += count / self.window

    def may_send(self) -> bool:
        """True if data is left and the window has room."""
        return self.sent < self.packets and self.sent - self.acknowledged < floor(self.window)


def acknowledged(
    packets: int,
    initial_window: float,
    threshold: float,
    rtt_s: float,
    *,
    delay_s: float = 0.2,
    after_slow_start: bool = True,
) -> list[tuple[float, int]]:
    """The times at which packets are acknowledged at the sender, in seconds after its first packet."""
    sender = Sender(packets, initial_window, threshold)
    receiver = Receiver(delay_s, after_slow_start)
    found: list[tuple[float, int]] = []
    order = 0
    # Of segments that arrive at the same time, the one sent first comes first.
    events: list[tuple[float, int, str, int, bool]] = []

    def later(time_s: float, what: str, number: int = 0, flag: bool = False) -> None:
        nonlocal order
        order += 1
        heappush(events, (time_s, order, what, number, flag))

    def send(now_s: float) -> None:
        while sender.may_send():
            sender.sent += 1
            later(now_s + rtt_s / 2, "segment", sender.sent, sender.window < sender.threshold)

    send(0.0)
    while sender.acknowledged < packets:
        now_s, _, what, number, flag = heappop(events)
        if what == "segment":
            upto = receiver.on_segment(now_s, in_slow_start=flag, last=number == packets)
            if upto is None:
                later(receiver.deadline_s, "deadline")
            else:
                later(now_s + rtt_s / 2, "acknowledgment", upto)
        elif what == "deadline":
            if receiver.deadline_s <= now_s:
                later(now_s + rtt_s / 2, "acknowledgment", receiver.acknowledge())
        else:
            found.append((now_s, number))
            sender.on_acknowledgment(number)
            send(now_s)
    return found
