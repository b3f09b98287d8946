"""Prague: draft-briscoe-iccrg-prague-congestion-control-04, section 2.

Left open there, or done by the transport, and chosen here:

- packets, not bytes, are counted;
- one mark per round trip is signalled, and those of the same virtual round trip are passed over;
- a loss keeps half of what was in use, as standard TCP, which the draft allows beside CUBIC's seven tenths;
- a window of two packets at least is kept.
"""

import copy
from dataclasses import dataclass

from reference.facts import Ack, Congestion, Signal, Start

G = 1 / 16
LEAST = 2.0


@dataclass
class State:
    """The state that a spurious reduction brings back, all but the estimate."""

    cwnd: float
    ssthresh: float


class Prague:
    """DCTCP for the Internet: growth in spite of marks, as one of 25 ms on shorter paths, and paced."""

    accurate_ecn = True

    def __init__(self, virtual_rtt: float = 25.0, transition: float = 500.0) -> None:
        self.virtual_rtt = virtual_rtt * 1e6
        self.transition = transition

    def begin(self, start: Start) -> None:
        """The connection begins."""
        self.state = State(start.initial_window, start.initial_ssthresh)
        self.restart_window = start.restart_window
        self.before: State | None = None
        self.alpha = 1.0
        self.saw_mark = False
        self.delivered = self.marked = 0.0
        self.round: int | None = None
        self.rounds_in_avoidance = 0
        self.updated_at = 0
        self.reduced_at: int | None = None
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
        """A window per round trip, twice that up to half the threshold; without limit at first."""
        if self.srtt == 0:
            return float("inf")
        rate = self.cwnd / (self.srtt / 1e9)
        return 2 * rate if self.cwnd < self.ssthresh / 2 else rate

    def scales(self) -> bool:
        """Whether it behaves as one of the virtual round-trip time: long after slow start."""
        return (
            self.cwnd >= self.ssthresh
            and self.rounds_in_avoidance >= self.transition
            and 0 < self.srtt < self.virtual_rtt
        )

    def on_ack(self, ack: Ack) -> None:
        """Sections 2.4.1 and 2.4.3."""
        now = round(ack.now * 1e9)
        self.srtt = round(ack.srtt * 1e9)
        if ack.round != self.round:
            self.end_round(ack.round, now)
        self.delivered += ack.delivered
        self.marked += ack.ce_marked
        self.saw_mark = self.saw_mark or ack.ce_marked > 0
        unmarked = ack.delivered - ack.ce_marked
        if ack.recovering or not ack.advanced or not ack.window_limited or unmarked <= 0:
            return
        if self.cwnd < self.ssthresh:
            self.state.cwnd = min(self.cwnd + min(unmarked, ack.acks), self.ssthresh)
        else:
            increase = (self.srtt / self.virtual_rtt) ** 2 if self.scales() else 1.0
            self.state.cwnd += min(unmarked / self.cwnd, ack.acks) * increase

    def end_round(self, number: int, now: int) -> None:
        """The moving average of the fraction of marked packets: once per round trip, virtual where it is."""
        if self.round is not None and self.cwnd >= self.ssthresh:
            self.rounds_in_avoidance += 1
        self.round = number
        if self.scales() and now - self.updated_at < self.virtual_rtt:
            return
        if self.saw_mark and self.delivered > 0:
            self.alpha += G * (min(self.marked / self.delivered, 1.0) - self.alpha)
        self.delivered = self.marked = 0.0
        self.updated_at = now

    def on_congestion(self, event: Congestion) -> None:
        """Sections 2.4.2 and 2.4.4."""
        now = round(event.now * 1e9)
        if event.repeated:
            self.state.cwnd = min(self.cwnd, self.restart_window)
            return
        if event.signal == Signal.ECN:
            self.saw_mark = True
            recent = self.reduced_at is not None and now - self.reduced_at < self.virtual_rtt
            if self.scales() and recent and not event.restart:
                return
            self.reduced_at = now
        self.before = copy.copy(self.state)
        used, part = max(min(self.cwnd, event.flight), 1.0), 0.5
        if event.signal == Signal.ECN:
            used, part = self.cwnd, self.alpha / 2
        self.state.ssthresh = max(used * (1 - part), LEAST)
        self.state.cwnd = self.ssthresh
        if event.restart or event.signal == Signal.TIMEOUT:
            self.state.cwnd = min(self.cwnd, self.restart_window)

    def on_spurious(self) -> None:
        """Everything is as before, except that the window may have grown since."""
        if self.before is not None:
            self.state = State(max(self.cwnd, self.before.cwnd), self.before.ssthresh)
            self.before = None

    def on_idle_restart(self, restart_window: float) -> None:
        """Starts again after idleness."""
        self.state.cwnd = min(self.cwnd, max(restart_window, 1.0))
