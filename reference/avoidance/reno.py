"""The congestion avoidance of standard TCP: RFC 5681, section 3.1."""

from reference.facts import Ack, Congestion
from reference.windowed import Avoidance, Window


class Reno(Avoidance):
    """Additive increase, multiplicative decrease."""

    def __init__(self, limit: float = 1.0) -> None:
        self.limit = limit

    def adjust(self, ack: Ack, window: Window) -> None:
        """Equation 3: cwnd += SMSS*SMSS/cwnd, "executed on every incoming ACK that acknowledges new data".

        An acknowledgment of less than a packet counts for what it is, since "the RECOMMENDED way to
        increase cwnd during congestion avoidance is to count the number of bytes that have been acknowledged
        by ACKs for new data". A ``limit`` above one packet counts more of an acknowledgment of more
        (RFC 3465).
        """
        counted = min(ack.delivered, self.limit * ack.acks)
        window.cwnd += counted * (1.0 / window.cwnd)

    def back_off(self, event: Congestion, used: float) -> float:  # noqa: ARG002  the same for every signal
        """Equation 4: ssthresh = max(FlightSize / 2, 2*SMSS)."""
        return max(used / 2.0, 2.0)
