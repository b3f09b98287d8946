"""Standard TCP's rule made gentler at small windows, with windows below one packet.

The algorithm is ours: Chen, Iyengar, Subramanian and Ford, "TCP Behavior in Sub-Packet Regimes", call for
"graceful TCP degradation into the sub-packet regime" without giving a rule. This file is written from the
page docs/algorithms/controller/subpacket.md.
"""

import math

from reference.facts import Ack, Congestion, Signal, Start
from reference.registered import controller


@controller("subpacket")
class SubPacket:
    """A window of at least ``least`` packets; below ``gentle_below`` it is paced."""

    def __init__(self, gentle_below: float = 16.0, least: float = 1 / 64) -> None:
        self.gentle_below = gentle_below
        self.least = least

    def begin(self, start: Start) -> None:
        """The connection begins."""
        self.cwnd = start.initial_window
        self.ssthresh = start.initial_ssthresh
        self.restart_window = start.restart_window
        self.srtt = 1.0
        self.before: tuple[float, float] | None = None

    @property
    def pacing_rate(self) -> float:
        """A window per smoothed round trip if the window is small; otherwise without limit."""
        return self.cwnd / self.srtt if self.cwnd < self.gentle_below else math.inf

    def on_ack(self, ack: Ack) -> None:
        """Slow start to the threshold; from there on a packet per window, or per ``gentle_below`` if less."""
        if ack.srtt > 0:
            self.srtt = ack.srtt
        if not ack.may_grow:
            return
        packets = min(ack.delivered, ack.acks)
        if self.cwnd < self.ssthresh:
            self.cwnd = min(self.cwnd + packets, self.ssthresh)
        else:
            self.cwnd += packets / max(self.cwnd, self.gentle_below)

    def on_congestion(self, event: Congestion) -> None:
        """Each signal halves the part of the window in use: there is no other back-off."""
        if not event.repeated:
            self.before = (self.cwnd, self.ssthresh)
        self.ssthresh = max(min(self.cwnd, event.flight) / 2, self.least)
        self.cwnd = self.ssthresh
        if event.restart or event.signal == Signal.TIMEOUT:
            self.cwnd = min(self.cwnd, self.restart_window)

    def on_spurious(self) -> None:
        """Everything is as before, except that the window may have grown since."""
        if self.before is not None:
            cwnd, self.ssthresh = self.before
            self.cwnd = max(cwnd, self.cwnd)
            self.before = None

    def on_idle_restart(self, restart_window: float) -> None:
        """Starts again after idleness, from no more than the restart window."""
        self.cwnd = min(self.cwnd, max(restart_window, self.least))
