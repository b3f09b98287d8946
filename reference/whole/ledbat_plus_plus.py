"""LEDBAT++: draft-irtf-iccrg-ledbat-plus-plus, section 4.

Left open there, and chosen here:

- base and current delays are those of RFC 6817: ten minutes, four samples;
- a loss ends a slow start and a slowdown, and the next slowdown is scheduled as at their own end;
- a timeout starts over with a slow start to half the window, from which the next slowdown is scheduled;
- windows that the sender did not fill do not move.
"""

import copy
import math
from dataclasses import dataclass

from reference.facts import Ack, Congestion, Signal, Start
from reference.queueing_delay import QueueingDelay

LEAST = 2.0


@dataclass
class State:
    """The state that a spurious reduction brings back."""

    cwnd: float
    ssthresh: float
    phase: str = "initial slow start"
    until: int = 0
    """The end of the hold at two packets, or the next slowdown, in nanoseconds."""
    slowed_at: int = 0
    """The beginning of the last slowdown."""


class LedbatPlusPlus:
    """LEDBAT with slowdowns, by which all flows measure the path without a queue."""

    def __init__(self, target: float = 60.0, constant: float = 1.0) -> None:
        self.target = target * 1e6
        self.constant = constant
        self.delay = QueueingDelay()

    def begin(self, start: Start) -> None:
        """The connection begins."""
        self.state = State(start.initial_window, start.initial_ssthresh)
        self.restart_window = start.restart_window
        self.before: State | None = None
        self.srtt = 0

    @property
    def cwnd(self) -> float:
        """The window in packets."""
        return self.state.cwnd

    @property
    def ssthresh(self) -> float:
        """The threshold in packets."""
        return self.state.ssthresh

    @property
    def pacing_rate(self) -> float:
        """Packets are not paced."""
        return math.inf

    @property
    def gain(self) -> float:
        """Section 4.2: GAIN = 1 / min(16, ceil(2 * TARGET / base))."""
        if self.delay.base == 0:
            return 1 / 16
        return 1 / min(16, math.ceil(2 * self.target / self.delay.base))

    def on_ack(self, ack: Ack) -> None:
        """Measures, and moves the window by its phase."""
        now = round(ack.now * 1e9)
        self.srtt = round(ack.srtt * 1e9)
        if ack.rtt is not None:
            self.delay.measure(ack.now, ack.rtt)
        state = self.state
        if state.phase == "slowdown" and now >= state.until:
            state.phase = "slow start"
        if not ack.may_grow or state.phase == "slowdown":
            return
        if state.phase == "avoidance":
            self.avoid(ack, now)
            return
        state.cwnd = min(state.cwnd + self.gain * ack.delivered, max(state.ssthresh, state.cwnd))
        if state.phase == "initial slow start":
            if state.cwnd >= state.ssthresh or self.delay.value > 0.75 * self.target:
                state.phase, state.until = "avoidance", now + 2 * self.srtt
        elif state.cwnd >= state.ssthresh:
            state.phase, state.until = "avoidance", now + 9 * (now - state.slowed_at)

    def avoid(self, ack: Ack, now: int) -> None:
        """Sections 4.2 to 4.4: per round trip GAIN below the target, above it as follows.

        max(GAIN - Constant * W * (delay / TARGET - 1), -W / 2).
        """
        state = self.state
        if now >= state.until:
            state.ssthresh, state.cwnd = state.cwnd, min(LEAST, state.cwnd)
            state.phase, state.until, state.slowed_at = "slowdown", now + 2 * self.srtt, now
            return
        step = self.gain
        if self.delay.value > self.target:
            excess = self.delay.value / self.target - 1
            step = max(step - self.constant * state.cwnd * excess, -state.cwnd / 2)
        state.cwnd = max(state.cwnd + step * min(ack.delivered / state.cwnd, 1.0), LEAST)

    def on_congestion(self, event: Congestion) -> None:
        """Half is kept, and two packets at least."""
        if event.repeated:
            self.state.cwnd = min(self.cwnd, self.restart_window)
            return
        now = round(event.now * 1e9)
        self.before = copy.copy(self.state)
        state = self.state
        state.ssthresh = max(min(state.cwnd, event.flight) / 2, LEAST)
        state.cwnd = state.ssthresh
        if event.restart or event.signal == Signal.TIMEOUT:
            state.cwnd = min(state.cwnd, self.restart_window)
            state.phase, state.slowed_at = "slow start", now
        elif state.phase == "initial slow start":
            state.phase, state.until = "avoidance", now + 2 * self.srtt
        elif state.phase != "avoidance":
            state.phase, state.until = "avoidance", now + 9 * (now - state.slowed_at)

    def on_spurious(self) -> None:
        """Everything is as before, except that the window may have grown since."""
        if self.before is not None:
            self.before.cwnd = max(self.before.cwnd, self.cwnd)
            self.state, self.before = self.before, None

    def on_idle_restart(self, restart_window: float) -> None:
        """Starts again after idleness."""
        self.state.cwnd = min(self.cwnd, max(restart_window, 1.0))
