"""Burst TCP: burst-tcp, section 4.2 and figure 9; and its annex, which differs."""

import math

from reference.facts import Ack
from reference.windowed import SlowStart, Window


class BurstTcp(SlowStart):
    """Figure 9.

    "If (cwnd < ssthresh) { If (btcp_enabled==TRUE) { increment = floor((mice_t - cwnd)/f);
    If (increment==0) increment = 1; cwnd += increment/cwnd } else { cwnd += 1 } }"

    Section 4.2: "B-TCP flows must maintain its dynamics up to cwnd reaches the mice threshold value (mice_t)
    or until the connection detects a loss, behaving as the standard Reno TCP, from this point on".
    """

    def __init__(self, f: float = 8.0, mice: float = 32.0) -> None:
        self.f = f
        self.mice = mice
        self.enabled = True

    def grow(self, ack: Ack, window: Window) -> None:
        """One acknowledgement."""
        counted = min(ack.delivered, 1.0)
        if window.cwnd >= self.mice:
            self.enabled = False
        if self.enabled:
            increment = math.floor((self.mice - window.cwnd) / self.f)
            if increment == 0:
                increment = 1
            window.cwnd += counted * (increment / window.cwnd)
        else:
            window.cwnd += counted
        window.cwnd = min(window.cwnd, window.ssthresh)

    def on_congestion(self) -> None:
        """Three duplicates or a timeout: "btcp_enabled=FALSE", for ever."""
        self.enabled = False


class BurstTcpAnnex(SlowStart):
    """The annex, BTcpAgent::opencwnd.

    It takes floor((b_thresh_ - cwnd_) / b_factor_) / cwnd_ for the increment, and 1 where that is 0. Above
    the threshold it is negative.
    """

    def __init__(self, f: float = 8.0, mice: float = 32.0) -> None:
        self.f = f
        self.mice = mice
        self.enabled = True

    def grow(self, ack: Ack, window: Window) -> None:
        """One acknowledgement."""
        increment = 1.0
        if self.enabled:
            increment = math.floor((self.mice - window.cwnd) / self.f) / window.cwnd
            if increment == 0:
                increment = 1.0
        window.cwnd = min(window.cwnd + increment * min(ack.delivered, 1.0), window.ssthresh)

    def on_congestion(self) -> None:
        """Deactivates B-TCP, after duplicate acknowledgements and after a timeout."""
        self.enabled = False
