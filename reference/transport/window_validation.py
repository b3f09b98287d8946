"""RFC 7661, "Updating TCP to Support Rate-Limited Traffic": windows that are validated, or not.

Volumes are octets, times milliseconds. What the text leaves open: the pipeACK variable is the greatest sample
of the pipeACK Sampling Period (4.2 permits less), with each sample dated by the ACK that ends it. A sample
ends with the first ACK at least an RTT after its beginning, or with the ACK that leaves nothing outstanding,
so that no sample spans a pause. When all samples are too old, pipeACK is zero (4.5.1) and not undefined: this
4.3 has only "at the start or directly after loss recovery". Where pipeACK is half of cwnd, 4.3 counts it as
validated, 4.4 only what is above it; here 4.3 holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["NVP_MS", "PipeAck", "Validation"]

NVP_MS = 300_000
"""4.4: "SHOULD NOT exceed five minutes"."""


@dataclass
class PipeAck:
    """The pipeACK variable (4.2): volumes acknowledged in a round-trip time."""

    rtt_ms: int
    high_ack: int = 0
    samples: list[tuple[int, int]] = field(default_factory=list)
    measured: bool = False
    begun: tuple[int, int] | None = None

    @property
    def period_ms(self) -> int:
        """The pipeACK Sampling Period."""
        return max(3 * self.rtt_ms, 1000)

    def on_send(self, now_ms: int) -> None:
        """HighACK is cached when the first segment leaves."""
        if self.begun is None:
            self.begun = (now_ms, self.high_ack)

    def on_ack(self, now_ms: int, high_ack: int, *, flight: int) -> None:
        """After an RTT, the difference of HighACK is a sample."""
        self.high_ack = high_ack
        if self.begun is None:
            return
        since_ms, cached = self.begun
        if now_ms - since_ms >= self.rtt_ms or flight == 0:
            self.samples.append((now_ms, high_ack - cached))
            self.measured = True
            self.begun = None if flight == 0 else (now_ms, high_ack)

    def value(self, now_ms: int) -> int | None:
        """The variable, or None for the undefined value."""
        if not self.measured:
            return None
        return max((volume for at_ms, volume in self.samples if now_ms - at_ms <= self.period_ms), default=0)

    def supports_until(self, volume: float) -> int:
        """When the last sample of at least this volume is too old."""
        return (
            max((at_ms for at_ms, found in self.samples if found >= volume), default=-self.period_ms)
            + self.period_ms
        )

    def reset(self) -> None:
        """4.4.1: "re-initialise the pipeACK variable to the "undefined" value"."""
        self.samples.clear()
        self.measured = False
        self.begun = None


@dataclass
class Validation:
    """The window of a sender in congestion avoidance or slow start, and in loss recovery."""

    mss: int
    initial_window: int
    cwnd: float
    ssthresh: float
    pipe: PipeAck
    entered_ms: int | None = None
    """When the non-validated phase began (4.5.2)."""
    before_loss: float | None = None
    """During a recovery from the non-validated phase: Max(pipeACK, LossFlightSize) of 4.4.1."""
    recovering: bool = False

    def validated(self, now_ms: int) -> bool:
        """4.3: "pipeACK >=(1/2)*cwnd, or pipeACK is undefined"."""
        value = self.pipe.value(now_ms)
        return value is None or value >= self.cwnd / 2

    def note_phase(self, now_ms: int) -> None:
        """The time of entry is that at which the last sample that validates the window grew too old."""
        if self.validated(now_ms):
            self.entered_ms = None
        elif self.entered_ms is None:
            latest = max((at_ms for at_ms, _ in self.pipe.samples), default=now_ms)
            self.entered_ms = max(self.pipe.supports_until(self.cwnd / 2), min(latest, now_ms))

    def on_send(self, now_ms: int) -> None:
        """4.5.2: "Each time a sender transmits a new segment, ... one reduction ... for each NVP"."""
        self.note_phase(now_ms)
        while self.entered_ms is not None and now_ms - self.entered_ms > NVP_MS:
            # 4.4.3. The window is "not greater than", so a window below IW does not rise.
            self.ssthresh = max(self.ssthresh, 3 * self.cwnd / 4)
            self.cwnd = min(self.cwnd, max(self.cwnd / 2, self.initial_window))
            self.entered_ms = None if self.validated(now_ms) else self.entered_ms + NVP_MS
        if not self.recovering:
            self.pipe.on_send(now_ms)

    def on_ack(self, now_ms: int, high_ack: int, *, flight: int, cwnd_limited: bool) -> bool:
        """True if the standard method may increase the window (4.4)."""
        if self.recovering:
            self.pipe.high_ack = high_ack
            return False
        self.pipe.on_ack(now_ms, high_ack, flight=flight)
        self.note_phase(now_ms)
        return self.validated(now_ms) or cwnd_limited

    def on_loss(self, now_ms: int, flight: int) -> None:
        """4.4.1 for the non-validated phase, and equation (4) of RFC 5681 otherwise."""
        value = self.pipe.value(now_ms)
        self.recovering = True
        if value is None or self.validated(now_ms):
            self.ssthresh = max(flight / 2, 2 * self.mss)
            self.cwnd = self.ssthresh
        else:
            self.before_loss = max(value, flight)
            self.cwnd = max(self.before_loss / 2, self.mss)
        self.entered_ms = None

    def on_recovered(self, retransmitted: int) -> None:
        """`retransmitted` is R, which counts each octet once."""
        if self.before_loss is not None:
            self.cwnd = max((self.before_loss - retransmitted) / 2, self.mss)
            self.ssthresh = self.cwnd
        self.leave_recovery()

    def on_timeout(self, flight: int) -> None:
        """4.4: "MUST exit the non-validated phase. It then resumes using the standard TCP RTO mechanism"."""
        self.ssthresh = max(flight / 2, 2 * self.mss)
        self.cwnd = self.mss
        self.leave_recovery()

    def leave_recovery(self) -> None:
        """4.2: after loss recovery, no measurements are available."""
        self.recovering = False
        self.before_loss = None
        self.entered_ms = None
        self.pipe.reset()
