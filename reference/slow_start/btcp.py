"""Burst TCP: burst-tcp, section 4.2 and figure 9; and its annex, which differs."""

import math

from reference.facts import Ack
from reference.registered import slow_start
from reference.slow_start.adaptive import AdaptiveStart
from reference.slow_start.gallop_vegas import GallopVegasSlowStart, queued
from reference.windowed import SlowStart, Window


class HeadStart(SlowStart):
    """The annex, BTcpAgent::recv.

    It lacks the last step of ns-2's other agents, which set the window to the initial one when the
    acknowledgment of the SYN has come. By then opencwnd has already grown the window of one packet with which
    the SYN was sent.
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


@slow_start("btcp")
class BurstTcp(HeadStart):
    """Figure 9.

    "If (cwnd < ssthresh) { If (btcp_enabled==TRUE) { increment = floor((mice_t - cwnd)/f);
    If (increment==0) increment = 1; cwnd += increment/cwnd } else { cwnd += 1 } }"

    Section 4.2: "B-TCP flows must maintain its dynamics up to cwnd reaches the mice threshold value (mice_t)
    or until the connection detects a loss, behaving as the standard Reno TCP, from this point on".
    """

    def __init__(
        self,
        f: float = 8.0,
        mice: float = 32.0,
        head_start: float = 0.0,
        life: float = 0.0,
        estimate: float = 0.0,
    ) -> None:
        super().__init__(head_start)
        self.f = f
        self.mice = mice
        self.enabled = True
        self.life = life > 0
        self.seen = 0.0
        """The window at the latest acknowledgment."""
        self.before_loss: float | None = None
        self.way_back: float | None = None
        self.estimates = Estimates() if estimate > 0 else None

    def mice_t(self) -> float:
        """The threshold, or the window at the loss (6.2)."""
        if self.way_back is not None:
            return self.way_back
        return max(self.mice, self.estimates.pipe) if self.estimates else self.mice

    def measure(self, ack: Ack, window: Window) -> None:
        """6.2: B-TCP "in substitution to the Slow Start" after three duplicates; and the estimates."""
        if self.life:
            self.seen = window.cwnd
            if self.before_loss is not None and ack.may_grow:
                self.way_back, self.before_loss = self.before_loss, None
                window.ssthresh = max(window.ssthresh, self.way_back)
        if self.estimates:
            self.estimates.measure(ack, window.cwnd)

    def grow(self, ack: Ack, window: Window) -> None:
        """One acknowledgment."""
        counted = min(ack.delivered, ack.acks)
        threshold = self.mice_t()
        if window.cwnd >= threshold:
            self.enabled = False
        if self.enabled:
            f = self.f * (1 + self.estimates.queued) if self.estimates else self.f
            increment = math.floor((threshold - window.cwnd) / f)
            if increment == 0:
                increment = 1
            window.cwnd += counted * (increment / window.cwnd)
        else:
            window.cwnd += counted
        window.cwnd = min(window.cwnd, window.ssthresh)

    def on_congestion(self) -> None:
        """Three duplicates or a timeout: "btcp_enabled=FALSE", for ever; unless it is used for life."""
        self.enabled = self.life
        self.way_back = None
        self.before_loss = self.seen if self.life else None
        if self.estimates:
            self.estimates.forget()

    def on_restart(self) -> None:
        """The window begins anew, and so do the steps."""
        self.before_loss = None


class Estimates:
    """6.2: "a rate estimation scheme like the one employed by TCP Vegas or TCP Westwood"."""

    def __init__(self) -> None:
        self.westwood = AdaptiveStart()
        self.vegas = GallopVegasSlowStart()
        self.pipe = 0.0
        """The largest bandwidth-delay product by the eligible rate."""
        self.queued = 0.0
        self.first_window = 0.0

    def measure(self, ack: Ack, cwnd: float) -> None:
        """One acknowledgment."""
        if ack.delivered > 0 and ack.srtt > 0 and ack.min_rtt > 0:
            self.westwood.sample(ack)
        if self.westwood.rate is not None:
            self.pipe = max(self.pipe, self.westwood.rate * ack.min_rtt)
        begins = self.vegas.round is not None and ack.round != self.vegas.round
        self.vegas.measure(ack, Window(cwnd, cwnd))
        if begins:
            rtt = self.vegas.mean_rtt
            if self.first_window > 0 and rtt is not None and not math.isnan(rtt):
                self.queued = max(queued(self.first_window, ack.min_rtt, rtt), 0.0)
            self.first_window = cwnd

    def forget(self) -> None:
        """The samples belong to the window before the reduction."""
        self.westwood.acks = []
        self.vegas.samples = []
        self.first_window = 0.0


@slow_start("btcp-annex")
class BurstTcpAnnex(HeadStart):
    """The annex, BTcpAgent::opencwnd.

    The increment is floor((b_thresh_ - cwnd_) / b_factor_) / cwnd_, or 1 if that is 0. Above the threshold it
    is negative.
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
