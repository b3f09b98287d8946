"""Burst TCP: burst-tcp, section 4.2 and figure 9; and its annex, which differs."""

import math

from reference.facts import Ack
from reference.windowed import SlowStart, Window


class HeadStart(SlowStart):
    """The annex, BTcpAgent::recv.

    It lacks the last step of ns-2's other agents, which set the window to the initial one when the
    acknowledgment of the SYN has come. The window of one packet that the SYN was sent with has then been
    through opencwnd.
    """

    def __init__(self, head_start: float) -> None:
        self.head_start = head_start

    def begin(self, window: Window) -> None:
        """Grows a window of one packet once, where the head start is taken."""
        if self.head_start > 0:
            window.cwnd = 1.0
            syn = Ack(now=0.0, delivered=1.0, in_flight=0.0, rtt=None, srtt=0.0, min_rtt=0.0, round=0)
            if window.ssthresh > 1.0:
                self.grow(syn, window)


class BurstTcp(HeadStart):
    """Figure 9.

    "If (cwnd < ssthresh) { If (btcp_enabled==TRUE) { increment = floor((mice_t - cwnd)/f);
    If (increment==0) increment = 1; cwnd += increment/cwnd } else { cwnd += 1 } }"

    Section 4.2: "B-TCP flows must maintain its dynamics up to cwnd reaches the mice threshold value (mice_t)
    or until the connection detects a loss, behaving as the standard Reno TCP, from this point on".
    """

    def __init__(self, f: float = 8.0, mice: float = 32.0, head_start: float = 0.0) -> None:
        super().__init__(head_start)
        self.f = f
        self.mice = mice
        self.enabled = True

    def grow(self, ack: Ack, window: Window) -> None:
        """One acknowledgment."""
        counted = min(ack.delivered, ack.acks)
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


class BurstTcpAnnex(HeadStart):
    """The annex, BTcpAgent::opencwnd.

    It takes floor((b_thresh_ - cwnd_) / b_factor_) / cwnd_ for the increment, and 1 where that is 0. Above
    the threshold it is negative.
    """

    def __init__(self, f: float = 8.0, mice: float = 32.0, head_start: float = 0.0) -> None:
        super().__init__(head_start)
        self.f = f
        self.mice = mice
        self.enabled = True

    def grow(self, ack: Ack, window: Window) -> None:
        """One acknowledgment."""
        increment = 1.0
        if self.enabled:
            increment = math.floor((self.mice - window.cwnd) / self.f) / window.cwnd
            if increment == 0:
                increment = 1.0
        window.cwnd = min(window.cwnd + increment * min(ack.delivered, ack.acks), window.ssthresh)

    def on_congestion(self) -> None:
        """Deactivates B-TCP, after duplicate acknowledgments and after a timeout."""
        self.enabled = False
