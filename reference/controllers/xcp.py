"""The sender of the explicit control protocol (XCP).

From Katabi, Handley and Rohrs, SIGCOMM 2002, section 3.3, and draft-falk-xcp-spec-03, section 3.1.

``cwnd = max(cwnd + feedback * rtt, s)``; losses "in a similar manner to TCP". On a path whose routers give no
feedback the sender behaves as TCP: RFC 5681.
"""

from reference.facts import Ack, Congestion, Signal, Start
from reference.registered import controller


@controller("xcp")
class Xcp:
    """A window that follows the routers."""

    explicit_feedback = True
    pacing_rate = float("inf")

    def begin(self, start: Start) -> None:
        """The connection begins."""
        self.cwnd = start.initial_window
        self.ssthresh = start.initial_ssthresh
        self.restart_window = start.restart_window
        self.before: tuple[float, float] | None = None

    def on_ack(self, ack: Ack) -> None:
        """Follows the feedback, if there is any; an increase waits until a loss is repaired."""
        if ack.feedback is not None:
            change = ack.feedback * ack.srtt
            if change < 0 or not ack.suspended:
                self.cwnd = max(self.cwnd + change, 1.0)
        elif ack.may_grow:
            if self.cwnd < self.ssthresh:
                self.cwnd = min(self.cwnd + min(ack.delivered, ack.acks), self.ssthresh)
            else:
                self.cwnd += min(ack.delivered / self.cwnd, ack.acks)

    def on_congestion(self, event: Congestion) -> None:
        """Half of what is in use, and one packet after a timeout."""
        if not event.repeated:
            self.before = (self.cwnd, self.ssthresh)
            self.ssthresh = max(min(self.cwnd, event.flight) / 2, 2.0)
        if event.restart or event.signal == Signal.TIMEOUT:
            self.cwnd = self.restart_window
        else:
            self.cwnd = self.ssthresh

    def on_spurious(self) -> None:
        """Everything is as before, except that the window may have grown since."""
        if self.before is not None:
            cwnd, self.ssthresh = self.before
            self.cwnd = max(cwnd, self.cwnd)
            self.before = None

    def on_idle_restart(self, restart_window: float) -> None:
        """Starts again after idleness, from no more than the restart window."""
        self.cwnd = min(self.cwnd, max(restart_window, 1.0))
