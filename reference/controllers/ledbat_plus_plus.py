"""LEDBAT++: draft-irtf-iccrg-ledbat-plus-plus, section 4, upon RFC 6817.

The draft has:

- round-trip times instead of one-way delays, and a TARGET of 60 ms;
- 4.1: GAIN = 1 / min(16, CEIL(2 * TARGET / base));
- 4.2: above the target, W += max(GAIN - Constant * W * (delay / TARGET - 1), -W / 2) per round trip;
- 4.3: slow start by GAIN; the first one ends when the delay exceeds three quarters of the target; - 4.4:
slowdowns to two packets for two round trips, after which slow start leads back to the old window. The first
comes two round trips after the first slow start, each further one after nine times the duration of the last,
from its beginning to the return of the window.

Left open there, and chosen here:

- an acknowledgment moves the window by its packets' part of the round trip, at most by a whole one;
- slowdowns begin, and are left, with acknowledgments that may move the window;
- a loss halves the window and ends slow starts and slowdowns; the next slowdown is scheduled as at their
  own end;
- a timeout begins a slow start to half the window, which counts as a slowdown for the next one's time;
- after an idle time slow start leads back to the old window (RFC 5681, 4.1).
"""

import math
from dataclasses import dataclass

from reference.facts import Ack, Congestion, Signal, Start, nanoseconds
from reference.queueing_delay import QueueingDelay
from reference.registered import controller

MIN_CWND = 2.0


@dataclass(frozen=True)
class Phase:
    """The window and the schedule of slowdowns; times held and due in nanoseconds."""

    cwnd: float
    ssthresh: float
    first: bool
    next_slowdown: int | None
    slowdown_began: float | None
    held_until: int | None


@controller("ledbat-plus-plus")
class LedbatPlusPlus:
    """Less than best effort, fair among its own."""

    def __init__(self, target: float = 60.0, constant: float = 1.0) -> None:
        self.target = target / 1000.0
        self.constant = constant

    def begin(self, start: Start) -> None:
        """The connection begins, in its first slow start."""
        self.cwnd = start.initial_window
        self.ssthresh = start.initial_ssthresh
        self.restart_window = start.restart_window
        self.delays = QueueingDelay()
        self.first = True
        self.next_slowdown: int | None = None
        self.slowdown_began: float | None = None
        self.held_until: int | None = None
        self.srtt = 0.0
        self.before: Phase | None = None

    @property
    def pacing_rate(self) -> float:
        """Not paced."""
        return math.inf

    @property
    def gain(self) -> float:
        """Section 4.1."""
        base = self.delays.base_delay()
        if not base:
            return 1.0
        return 1.0 / min(16, math.ceil(2.0 * self.target / base))

    def on_ack(self, ack: Ack) -> None:
        """Delays, slowdowns, growth."""
        if ack.rtt is not None:
            self.delays.sample(ack.now, ack.rtt)
        if ack.srtt > 0.0:
            self.srtt = ack.srtt
        delay = self.delays.queuing_delay()
        if not ack.may_grow:
            return
        now = nanoseconds(ack.now)
        if self.held_until is not None and now >= self.held_until:
            self.held_until = None
        if self.held_until is not None:
            return
        if self.next_slowdown is not None and now >= self.next_slowdown:
            self.slow_down(ack)
            return
        self.grow(ack, delay)
        if self.first and self.cwnd < self.ssthresh and delay > 0.75 * self.target:
            self.ssthresh = self.cwnd
            self.end_slow_start(ack.now)

    def grow(self, ack: Ack, delay: float) -> None:
        """Slow start (4.3), or the rules up to and above the target."""
        if self.cwnd < self.ssthresh or self.slowdown_began is not None:
            self.cwnd = min(self.cwnd + self.gain * ack.delivered, max(self.cwnd, self.ssthresh))
            if self.cwnd >= self.ssthresh:
                self.end_slow_start(ack.now)
        else:
            self.avoid(ack, delay)

    def slow_down(self, ack: Ack) -> None:
        """Section 4.4: ssthresh is set to cwnd, and cwnd to two packets."""
        self.ssthresh = self.cwnd
        self.cwnd = min(self.cwnd, MIN_CWND)
        self.next_slowdown = None
        self.slowdown_began = ack.now
        self.held_until = nanoseconds(ack.now) + 2 * nanoseconds(self.srtt)

    def end_slow_start(self, now: float) -> None:
        """The next slowdown: two round trips after the first, nine durations after a slowdown."""
        if self.slowdown_began is not None:
            self.next_slowdown = nanoseconds(now) + 9 * (nanoseconds(now) - nanoseconds(self.slowdown_began))
            self.slowdown_began = None
        elif self.first or self.next_slowdown is None:
            self.next_slowdown = nanoseconds(now) + 2 * nanoseconds(self.srtt)
        self.first = False

    def avoid(self, ack: Ack, delay: float) -> None:
        """Sections 4.1 and 4.2."""
        step = self.gain
        if delay > self.target:
            step = max(step - self.constant * self.cwnd * (delay / self.target - 1.0), -self.cwnd / 2.0)
        self.cwnd = max(self.cwnd + step * min(ack.delivered / self.cwnd, ack.acks), MIN_CWND)
        self.ssthresh = min(self.ssthresh, self.cwnd)

    def on_congestion(self, event: Congestion) -> None:
        """RFC 6817: half."""
        if event.repeated:
            self.cwnd = self.restart_window
            return
        self.before = self.phase()
        used = max(min(self.cwnd, event.flight), 1.0)
        self.ssthresh = max(used / 2.0, MIN_CWND)
        if event.restart or event.signal == Signal.TIMEOUT:
            self.cwnd = self.restart_window
            self.next_slowdown = self.held_until = None
            self.slowdown_began = event.now
            self.first = False
            return
        self.cwnd = self.ssthresh
        self.held_until = None
        self.end_slow_start(event.now)

    def on_spurious(self) -> None:
        """The window before the episode, or the present one if that is larger."""
        if self.before is not None:
            cwnd = self.cwnd
            vars(self).update(vars(self.before))
            self.cwnd = max(cwnd, self.cwnd)
            self.before = None

    def phase(self) -> Phase:
        """The state that an undone episode gives back."""
        return Phase(
            self.cwnd, self.ssthresh, self.first, self.next_slowdown, self.slowdown_began, self.held_until
        )

    def on_idle_restart(self, restart_window: float) -> None:
        """Starts again from at most the restart window."""
        self.cwnd = min(self.cwnd, max(restart_window, 1.0))
