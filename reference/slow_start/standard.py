"""Standard slow start: RFC 5681, section 3.1, and the limit of RFC 3465, section 2."""

from reference.facts import Ack
from reference.registered import slow_start
from reference.windowed import SlowStart, Window


@slow_start("standard")
class StandardSlowStart(SlowStart):
    """Equation 2 of RFC 5681: cwnd += min(N, SMSS), where N is the newly acknowledged data.

    RFC 3465, 2.2, calls the bound L and allows two packets. "The exception [...] is during a slow start
    phase that follows a retransmission timeout (RTO). In this situation, a TCP MUST use L=1*SMSS" (2.3),
    and so "in any slow start-based loss recovery" (3.2). The phase is over when the window reaches the
    threshold.
    """

    def __init__(self, limit: float = 1.0, after_timeout: float = 1.0) -> None:
        self.limit = limit
        self.after_timeout = after_timeout
        self.repairs = False

    def grow(self, ack: Ack, window: Window) -> None:
        """Adds what was delivered."""
        bound = min(self.limit, self.after_timeout) if self.repairs else self.limit
        window.cwnd += min(ack.delivered, bound * ack.acks)
        if window.cwnd >= window.ssthresh:
            window.cwnd = window.ssthresh
            self.repairs = False

    def on_congestion(self) -> None:
        """Another slow start, if any, follows."""
        self.repairs = False

    def on_restart(self) -> None:
        """The window begins anew, to repair losses."""
        self.repairs = True
