"""Standard slow start: RFC 5681, section 3.1."""

from reference.facts import Ack
from reference.windowed import SlowStart, Window


class StandardSlowStart(SlowStart):
    """Equation 2 of RFC 5681: cwnd += min(N, SMSS), where N is what the acknowledgment newly acknowledges.

    RFC 3465, 2.2, calls the bound L and allows two packets.
    """

    def __init__(self, limit: float = 1.0) -> None:
        self.limit = limit

    def grow(self, ack: Ack, window: Window) -> None:
        """Adds what was delivered."""
        window.cwnd += min(ack.delivered, self.limit * ack.acks)
        if window.cwnd > window.ssthresh:
            window.cwnd = window.ssthresh
