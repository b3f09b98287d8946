"""Faults of second readings, as methods instead of those of a reading."""

from __future__ import annotations

import math
from collections.abc import Callable

from reference import Ack, Congestion, Signal, Window, Windowed
from reference.avoidance.cubic import Cubic
from reference.avoidance.dctcp import Dctcp
from reference.avoidance.ledbat import Ledbat
from reference.controllers.ledbat_plus_plus import LedbatPlusPlus
from reference.controllers.prague import Prague
from reference.slow_start.careful_resume import CarefulResume, Phase
from reference.slow_start.rapid_start import RapidStart

__all__ = [
    "adds_all",
    "comes_soon",
    "counts_all_time",
    "follows_flight",
    "forgets_the_bound",
    "halves_again",
    "halves_at_marks",
    "hears_marks_alone",
    "keeps_half",
    "keeps_plateau",
    "keeps_the_first_base",
    "keeps_the_jump",
    "leaves_no_threshold",
    "nothing",
    "pauses",
    "reduces_with_each_mark",
    "restarts_with",
    "stops_at_the_jump",
    "takes_a_quarter",
    "takes_at_once",
    "twice_as_large",
    "without_bound",
]


def nothing(*_: object) -> None:
    """A method that does nothing."""


def restarts_with(packets: float) -> Callable[[Windowed, Congestion], None]:
    """A timeout leaves this window."""

    def on_congestion(self: Windowed, event: Congestion) -> None:
        Windowed.on_congestion(self, event)
        if event.restart:
            self.window.cwnd = packets

    return on_congestion


def halves_again(self: Windowed, event: Congestion) -> None:
    """Each timeout of a segment halves the threshold."""
    before = self.window.ssthresh
    Windowed.on_congestion(self, event)
    if event.repeated:
        self.window.ssthresh = max(before / 2, 2.0)


def adds_all(self: Windowed, ack: Ack) -> None:
    """The window grows with all that is delivered, used or not."""
    Windowed.on_ack(self, ack)
    self.window.cwnd += ack.delivered


def follows_flight(self: Windowed, ack: Ack) -> None:
    """The window is what is in use at most."""
    Windowed.on_ack(self, ack)
    self.window.cwnd = min(self.window.cwnd, 2 * (ack.in_flight + ack.delivered))


def twice_as_large(self: object, window: Window) -> None:  # noqa: ARG001 - a method of the reading
    """The connection begins with twenty packets."""
    window.cwnd = 20.0


def keeps_plateau(self: Cubic, cwnd_epoch: float) -> None:
    """A timeout is answered as a loss is: the plateau before it stays."""
    self.after_timeout = False
    Cubic.start_stage(self, cwnd_epoch)


def counts_all_time(self: Cubic, ack: Ack, window: Window) -> None:  # noqa: ARG001 - the reading's signature
    """The time of the curve includes what passes without acknowledgments."""
    since = 0.0 if self.previous_ack is None else ack.now - self.previous_ack
    self.previous_ack = ack.now
    if self.in_stage:
        self.t += since


def reduces_with_each_mark(self: Windowed, ack: Ack) -> None:
    """Each acknowledgment with marks reduces the window."""
    Windowed.on_ack(self, ack)
    if ack.ce_marked:
        self.window.cwnd = max(self.window.cwnd - 0.3, 2.0)


def takes_a_quarter(self: Dctcp, event: Congestion, used: float) -> float:  # noqa: ARG001 - as the reading
    """A mark takes a quarter of alpha."""
    return max(used * (1.0 - self.alpha / 4.0), 2.0)


def keeps_the_first_base(self: Ledbat, ack: Ack, window: Window) -> None:
    """The base delay is never lower than the first one."""
    if ack.rtt is not None:
        first = self.delays.base_delays[0] if self.delays.base_delays else ack.rtt
        Ledbat.measure(self, ack, window)
        self.delays.base_delays[0] = first


def comes_soon(self: LedbatPlusPlus, now: float) -> None:
    """The next slowdown comes in twice the length of the last."""
    began = self.slowdown_began
    LedbatPlusPlus.end_slow_start(self, now)
    if began is not None:
        self.next_slowdown = round((now + 2 * (now - began)) * 1e9)


def without_bound(self: LedbatPlusPlus, ack: Ack, delay: float) -> None:
    """A round trip may take more than half of the window."""
    step = self.gain
    if delay > self.target:
        step -= self.constant * self.cwnd * (delay / self.target - 1.0)
    self.cwnd = max(self.cwnd + step * min(ack.delivered / self.cwnd, ack.acks), 2.0)
    self.ssthresh = min(self.ssthresh, self.cwnd)


def hears_marks_alone(self: Prague, event: Congestion) -> None:
    """Losses and timeouts change nothing."""
    if event.signal == Signal.ECN:
        Prague.on_congestion(self, event)


def halves_at_marks(self: Prague, event: Congestion) -> None:
    """A mark takes half of the window, whatever alpha is."""
    alpha, self.alpha = self.alpha, 1.0
    Prague.on_congestion(self, event)
    self.alpha = alpha


def pauses(self: Prague, ack: Ack) -> None:
    """The window pauses for a round trip after a mark."""
    if not ack.suspended:
        Prague.grow(self, ack)


def takes_at_once(self: RapidStart, before: Window, share: float, window: Window) -> None:
    """The recovery takes nothing more for what is acknowledged."""
    RapidStart.on_reduction(self, before, share, window)
    if self.recovery is not None:
        self.recovery.ack_factor = 0.0


def forgets_the_bound(self: RapidStart, before: Window, share: float, window: Window) -> None:
    """Two packets are the least window of the recovery."""
    RapidStart.on_reduction(self, before, share, window)
    if self.recovery is not None:
        self.recovery.least = 2.0


def keeps_the_jump(self: CarefulResume, flight_size: float, window: Window) -> None:  # noqa: ARG001 - the reading's signature
    """The window of the jump stays, used or not."""
    self.phase = Phase.NORMAL


def stops_at_the_jump(self: CarefulResume, ack: Ack, window: Window) -> None:
    """No growth while the jump is validated."""
    if self.phase is not Phase.VALIDATING:
        CarefulResume.grow(self, ack, window)


def keeps_half(self: CarefulResume, before: Window, share: float, window: Window) -> None:  # noqa: ARG001 - as the reading
    """A retreat keeps what the avoidance does."""
    if self.retreats:
        self.phase = Phase.SAFE_RETREAT


def leaves_no_threshold(self: CarefulResume, ack: Ack, window: Window) -> None:
    """A retreat leaves no threshold."""
    retreats = self.phase is Phase.SAFE_RETREAT
    CarefulResume.measure(self, ack, window)
    if retreats and self.phase is Phase.NORMAL:
        window.ssthresh = math.inf
