"""The growth of a window that is not used in full, and the life of one that is kept so.

RFC 7661, "Updating TCP to Support Rate-Limited Traffic", has windows that are validated, or not. Volumes are
octets, or segments of one; times nanoseconds. What its text leaves open:

- The pipeACK variable is the greatest sample of the pipeACK Sampling Period (4.2 permits less), with each
  sample dated by the ACK that ends it. A sample ends with the first ACK at least an RTT, which is SRTT, after
  its beginning, or with the ACK that leaves nothing outstanding, so that no sample spans a pause. When all
  samples are too old, pipeACK is zero (4.5.1) and not undefined: this 4.3 has only "at the start or directly
  after loss recovery", to which timeouts and undone recoveries count here.
- Where pipeACK is half of cwnd, 4.3 counts it as validated, 4.4 only what is above it; here 4.3 holds.
- 4.4.1: a sender that loses packets leaves the phase, so another indication of congestion in the same
  recovery is a standard one, which the adjustment at its end does not follow. R counts segments that were
  both sent again in the recovery and believed to be lost, each once.
- 4.4.2: new segments are SRTT / cwnd apart, unless all segments are paced anyway.
- 4.4.3: the reduction comes with the first new segment after the period. "Preserves the cwnd" excludes the
  restart of RFC 5681, 4.1, after a pause.
"""

import math
from dataclasses import dataclass, field

from reference.recovery.timer import SECOND
from reference.windowed import Window

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

    @property
    def period(self) -> int:
        """The pipeACK Sampling Period."""
        return max(3 * self.rtt, SECOND)

    def on_send(self, now: int) -> None:
        """HighACK is cached when the first segment leaves."""
        if self.begun is None:
            self.begun = (now, self.high_ack)

    def on_ack(self, now: int, high_ack: int, *, flight: int) -> None:
        """After an RTT, the difference of HighACK is a sample."""
        self.high_ack = high_ack
        if self.begun is None:
            return
        since, cached = self.begun
        if now - since >= self.rtt or flight == 0:
            self.samples.append((now, high_ack - cached))
            self.measured = True
            self.begun = None if flight == 0 else (now, high_ack)

    def value(self, now: int) -> int | None:
        """The variable, or None for the undefined value."""
        if not self.measured:
            return None
        return max((volume for at, volume in self.samples if now - at <= self.period), default=0)

    def supports_until(self, volume: float) -> int:
        """When the last sample of at least this volume is too old."""
        latest = max((at for at, found in self.samples if found >= volume), default=-self.period)
        return latest + self.period

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
    """True in fast recovery."""

    def validated(self, now: int) -> bool:
        """4.3: "pipeACK >=(1/2)*cwnd, or pipeACK is undefined"."""
        value = self.pipe.value(now)
        return value is None or value >= self.cwnd / 2

    def note_phase(self, now: int) -> None:
        """The time of entry is that at which the last sample that validates the window grew too old."""
        if self.validated(now):
            self.entered = None
        elif self.entered is None:
            latest = max((at for at, _ in self.pipe.samples), default=now)
            self.entered = max(self.pipe.supports_until(self.cwnd / 2), min(latest, now))

    def on_send(self, now: int) -> None:
        """4.5.2: "Each time a sender transmits a new segment, ... one reduction ... for each NVP"."""
        self.note_phase(now)
        while self.entered is not None and now - self.entered > NVP:
            # 4.4.3. The window is "not greater than", so a window below IW does not rise.
            self.ssthresh = max(self.ssthresh, 3 * self.cwnd / 4)
            self.cwnd = min(self.cwnd, max(self.cwnd / 2, self.initial_window))
            self.entered = None if self.validated(now) else self.entered + NVP
        if not self.recovering:
            self.pipe.on_send(now)

    def on_ack(self, now: int, high_ack: int, *, flight: int, cwnd_limited: bool) -> bool:
        """True if the standard method may increase the window (4.4)."""
        if self.recovering:
            self.pipe.high_ack = high_ack
            return False
        self.pipe.on_ack(now, high_ack, flight=flight)
        self.note_phase(now)
        return self.validated(now) or cwnd_limited

    def on_loss(self, now: int, flight: float) -> None:
        """4.4.1 for the non-validated phase, and equation (4) of RFC 5681 otherwise."""
        value = self.pipe.value(now)
        if self.recovering or value is None or self.validated(now):
            self.before_loss = None
            self.ssthresh = max(flight / 2, 2 * self.mss)
            self.cwnd = self.ssthresh
        else:
            self.before_loss = max(value, flight)
            self.cwnd = max(self.before_loss / 2, self.mss)
        self.recovering = True
        self.entered = None

    def on_recovered(self, retransmitted: int) -> None:
        """`retransmitted` is R, which counts each octet once."""
        if self.before_loss is not None:
            self.cwnd = max((self.before_loss - retransmitted) / 2, self.mss)
            self.ssthresh = self.cwnd
        self.leave_recovery()

    def interval(self, now: int) -> int:
        """4.4.2: a sender in the non-validated phase "paces out the cwnd over its estimate of the RTT"."""
        return 0 if self.validated(now) else round(self.pipe.rtt * self.mss / self.cwnd)

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
    latest: int | None = None
    """The last departure."""
    held_until: int | None = None
    """The turn of a new segment that 4.4.2 of RFC 7661 holds back."""

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

    def on_ack(self, now: int, high_ack: int, *, flight: int, srtt: int, recovering: bool) -> None:
        """An acknowledgment was measured; its consequences come later."""
        if self.validation is not None:
            self.validation.pipe.rtt = srtt
            self.validation.recovering = recovering
            self.validation.on_ack(now, high_ack, flight=flight, cwnd_limited=False)

    def holds_back(self, now: int) -> bool:
        """4.4.2: True if a new segment has to wait for its turn."""
        if self.validation is None or self.latest is None:
            return False
        turn = self.latest + self.validation.interval(now)
        if now >= turn:
            return False
        self.held_until = turn
        return True

    def on_new_segment(self, now: int, window: Window, *, recovering: bool) -> None:
        """4.4.3, where the period is over."""
        if self.validation is not None:
            self.validation.recovering = recovering
            self.validation.cwnd, self.validation.ssthresh = window.cwnd, window.ssthresh
            self.validation.on_send(now)
            window.cwnd, window.ssthresh = self.validation.cwnd, self.validation.ssthresh

    def lost_from(self, now: int, flight: float, used: float) -> float:
        """4.4.1: Max(pipeACK, LossFlightSize), of which the recovery leaves a part, or else what was used."""
        if self.validation is None:
            return used
        self.validation.on_loss(now, flight)
        return used if self.validation.before_loss is None else self.validation.before_loss

    def on_recovered(self, retransmitted: int, window: Window) -> None:
        """4.4.1: the end of the recovery."""
        if self.validation is None:
            return
        adjusts = self.validation.before_loss is not None
        self.validation.on_recovered(retransmitted)
        if adjusts:
            window.cwnd, window.ssthresh = self.validation.cwnd, self.validation.ssthresh

    def forget(self) -> None:
        """4.2: after a timeout, and after a recovery for nothing, no measurements are available."""
        if self.validation is not None:
            self.validation.leave_recovery()
