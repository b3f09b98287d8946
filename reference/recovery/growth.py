"""The growth of a window that is not used in full, and the life of one that is kept so.

RFC 7661, "Updating TCP to Support Rate-Limited Traffic", has windows that are validated, or not. Volumes are
octets, or segments of one; times nanoseconds. What its text leaves open:

- A sample is what was outstanding at its first ACK, taken when all of that is acknowledged: 4.2 permits
  "other equivalent methods", and this one is the compiled sender's, and nearly that of the authors' module
  for Linux. The pipeACK variable is the greatest sample of the pipeACK Sampling Period (4.2 permits less),
  with each sample dated by the ACK that ends it. When all samples are too old, pipeACK is zero (4.5.1) and
  not undefined: this 4.3 has only "at the start or directly after loss recovery", to which the repair after
  a timeout, and one that is undone, count here.
- Where pipeACK is half of cwnd, 4.3 counts it as validated, 4.4 only what is above it; here 4.3 holds.
- 4.4.1: a sender that loses packets leaves the phase, so another indication of congestion in the same
  recovery is a standard one, and the end of the recovery raises no window above what that leaves. R counts
  segments that were both sent again in the recovery and believed to be lost, each once. LossFlightSize is
  cwnd at most, as in the compiled sender: RFC 5681, 3.2, excludes what a limited transmit sent.
- 4.4.2: segments have turns SRTT / cwnd apart, as in the compiled sender, unless all are paced anyway.
- 4.4.3: the reduction comes with the first new segment that is due after the period, or with an ACK of new
  data if that is earlier, since it may end the phase. "Preserves the cwnd" excludes the restart of RFC 5681,
  4.1, after a pause.
"""

import math
from dataclasses import dataclass, field

from reference.recovery.timer import SECOND, nearest
from reference.windowed import Window, Windowed

NVP = 300 * SECOND
"""4.4: "SHOULD NOT exceed five minutes"."""


@dataclass
class PipeAck:
    """The pipeACK variable (4.2): volumes acknowledged in a round-trip time."""

    rtt: int
    high_ack: int = 0
    samples: list[tuple[int, int]] = field(default_factory=list)
    measured: bool = False
    begun: tuple[int, int] | None = None
    """The cached HighACK of a sample, and the HighACK that ends it."""

    @property
    def period(self) -> int:
        """The pipeACK Sampling Period."""
        return max(3 * self.rtt, SECOND)

    def on_ack(self, now: int, high_ack: int, high_data: int) -> None:
        """The difference of HighACK is a sample after a round trip; those too old are discarded."""
        before, self.high_ack = self.high_ack, high_ack
        cached, end = self.begun = self.begun or (before, high_data)
        if high_ack >= end:
            self.samples.append((now, high_ack - cached))
            self.measured = True
            self.begun = None
        self.samples = [(at, volume) for at, volume in self.samples if now - at <= self.period]

    def value(self, now: int) -> int | None:
        """The variable, or None for the undefined value."""
        if not self.measured:
            return None
        return max((volume for at, volume in self.samples if now - at <= self.period), default=0)

    def supports_until(self, volume: float) -> int | None:
        """When the last sample of at least this volume is too old; None if there was none."""
        latest = max((at for at, found in self.samples if found >= volume), default=None)
        return None if latest is None else latest + self.period

    def reset(self) -> None:
        """4.4.1: "re-initialise the pipeACK variable to the "undefined" value"."""
        self.samples.clear()
        self.measured = False
        self.begun = None


@dataclass
class Validation:
    """The window of a sender in congestion avoidance or slow start, and in loss recovery."""

    mss: int
    initial_window: float
    cwnd: float
    ssthresh: float
    pipe: PipeAck
    entered: int | None = None
    """When the non-validated phase began (4.5.2)."""
    before_loss: float | None = None
    """During a recovery from the non-validated phase: Max(pipeACK, LossFlightSize) of 4.4.1."""
    recovering: bool = False
    """True while losses are repaired."""
    until: int = 0
    """The recovery repairs the loss of what was sent before this."""

    def validated(self, now: int) -> bool:
        """4.3: "pipeACK >=(1/2)*cwnd, or pipeACK is undefined"."""
        value = self.pipe.value(now)
        return value is None or value >= self.cwnd / 2

    def note_phase(self, now: int) -> None:
        """The time of entry is that at which the last sample that validates the window grew too old."""
        if self.recovering or self.validated(now):
            self.entered = None
        elif self.entered is None:
            latest = max((at for at, _ in self.pipe.samples), default=now)
            self.entered = self.pipe.supports_until(self.cwnd / 2) or latest

    def end_periods(self, now: int) -> None:
        """4.5.2: "one reduction ... for each NVP", when a new segment is due or an ACK arrives."""
        self.note_phase(now)
        while self.entered is not None and now - self.entered > NVP:
            # 4.4.3. The window is "not greater than", so a window below IW does not rise.
            self.ssthresh = max(self.ssthresh, 3 * self.cwnd / 4)
            self.cwnd = min(self.cwnd, max(self.cwnd / 2, self.initial_window))
            self.entered = None if self.validated(now) else self.entered + NVP

    def on_ack(self, now: int, high_ack: int, high_data: int, *, cwnd_limited: bool) -> bool:
        """True if the standard method may increase the window (4.4)."""
        if self.recovering:
            self.pipe.high_ack = high_ack
            return False
        self.end_periods(now)
        self.pipe.on_ack(now, high_ack, high_data)
        self.end_periods(now)
        return self.validated(now) or cwnd_limited

    def on_loss(self, now: int, flight: float, high_data: int = 0) -> float | None:
        """4.4.1 for the non-validated phase: what was used; None and equation (4) of RFC 5681 otherwise."""
        value = self.pipe.value(now)
        used = None
        if self.recovering or value is None or self.validated(now):
            self.ssthresh = max(flight / 2, 2 * self.mss)
            self.cwnd = self.ssthresh
        else:
            used = self.before_loss = min(max(value, flight), self.cwnd)
            self.cwnd = max(used / 2, self.mss)
        self.recovering, self.until = True, high_data
        self.entered = None
        return used

    def on_recovered(self, retransmitted: int) -> None:
        """`retransmitted` is R, which counts each octet once."""
        if self.before_loss is not None:
            self.cwnd = min(self.cwnd, max((self.before_loss - retransmitted) / 2, self.mss))
            self.ssthresh = self.cwnd
        self.leave_recovery()

    @property
    def interval(self) -> int | None:
        """4.4.2: a sender in the non-validated phase "paces out the cwnd over its estimate of the RTT"."""
        if self.entered is None or self.pipe.rtt == 0:
            return None
        rate = self.cwnd / self.mss / (self.pipe.rtt / SECOND)
        return nearest(1.0 / rate * SECOND)

    def on_timeout(self, flight: int) -> None:
        """4.4: "MUST exit the non-validated phase. It then resumes using the standard TCP RTO mechanism"."""
        self.ssthresh = max(flight / 2, 2 * self.mss)
        self.cwnd = self.mss
        self.leave_recovery()

    def leave_recovery(self) -> None:
        """4.2: after loss recovery, no measurements are available."""
        self.recovering = False
        self.before_loss = None
        self.entered = None
        self.pipe.reset()


@dataclass
class LimitedGrowth:
    """draft-ietf-ccwg-ratelimited-increase, section 3, RFC 7661, or ``tcp_cwnd_validate`` of Linux."""

    rule: str
    """`rate-limited`, `rfc7661`, `linux` or `window`: not at all."""
    max_fs: float
    """maxFS, or max_packets_out: the largest flight, in segments."""
    is_cwnd_limited: bool = False
    cwnd_usage_seq: int = 0
    sent_until: int = 0
    cwnd: float = 0.0
    validation: Validation | None = None
    """The state of RFC 7661, under that rule."""

    def on_flight(self, flight: int, una: int, nxt: int, *, by_window: bool) -> None:
        """FlightSize is updated, and the sender stops."""
        if self.rule != "linux":
            self.max_fs = max(flight, self.max_fs)
            return
        by_window = by_window or flight + 1 > self.cwnd
        if not by_window and nxt == self.sent_until:
            # tcp_write_xmit: nothing was sent.
            return
        self.sent_until = nxt
        is_more = not self.is_cwnd_limited and flight > self.max_fs
        if una >= self.cwnd_usage_seq or by_window or is_more:
            self.is_cwnd_limited, self.max_fs, self.cwnd_usage_seq = by_window, flight, nxt

    def on_window(self, cwnd: float) -> None:
        """Section 3: "Upon a reduction of cwnd (for any reason), maxFS MUST be reset to zero"."""
        if cwnd < self.cwnd and self.rule != "linux":
            self.max_fs = 0
        self.cwnd = cwnd
        if self.validation is not None:
            self.validation.cwnd = cwnd

    def permits(self, cwnd: float, ssthresh: float, now: int) -> tuple[bool, float]:
        """The permission to grow, and the flight that bounds the growth."""
        if self.validation is not None:
            return self.validation.validated(now), math.inf
        if self.rule == "window":
            return False, math.inf
        if self.rule == "linux":
            # tcp_is_cwnd_limited
            return self.is_cwnd_limited or (cwnd < ssthresh and cwnd < 2 * self.max_fs), math.inf
        return cwnd < Window(cwnd, ssthresh).limit(self.max_fs), float(self.max_fs)

    def on_ack(self, now: int, high_ack: int, high_data: int, controller: Windowed) -> None:
        """New data was acknowledged and measured; its consequences come later."""
        if self.validation is not None:
            self.enter(controller)
            self.validation.on_ack(now, high_ack, high_data, cwnd_limited=False)
            self.leave(controller)

    def on_due(self, now: int, controller: Windowed) -> None:
        """A new segment is due: 4.4.3, where the period is over."""
        if self.validation is not None:
            self.enter(controller)
            self.validation.end_periods(now)
            self.leave(controller)

    def enter(self, controller: Windowed) -> None:
        """The window of the controller is judged."""
        if self.validation is not None:
            self.validation.cwnd, self.validation.ssthresh = controller.cwnd, controller.ssthresh

    def leave(self, controller: Windowed) -> None:
        """The controller takes what is left of its window."""
        if self.validation is None:
            return
        if (self.validation.cwnd, self.validation.ssthresh) != (controller.cwnd, controller.ssthresh):
            controller.on_not_validated(self.validation.cwnd, self.validation.ssthresh)
            self.on_window(controller.cwnd)

    def is_repaired(self, high_ack: int) -> bool:
        """True if all has arrived that had been sent when a window that was not validated lost some."""
        validation = self.validation
        return validation is not None and validation.before_loss is not None and high_ack >= validation.until

    def lost_from(self, now: int, flight: float, used: float, high_data: int) -> float:
        """4.4.1: Max(pipeACK, LossFlightSize), of which the recovery leaves a part, or else what was used."""
        if self.validation is None:
            return used
        found = self.validation.on_loss(now, flight, high_data)
        return used if found is None else found

    def on_recovered(self, retransmitted: int, controller: Windowed) -> None:
        """4.4.1: the end of the recovery."""
        if self.validation is None:
            return
        adjusts = self.validation.before_loss is not None
        self.validation.on_recovered(retransmitted)
        if adjusts:
            controller.on_not_validated(self.validation.cwnd, self.validation.ssthresh)

    def forget(self) -> None:
        """4.2: after a timeout, and after a recovery that is cut short, no measurements are available."""
        if self.validation is not None:
            self.validation.leave_recovery()
