"""SCTP's congestion avoidance: RFC 9260, 7.2."""

from reference.facts import Ack, Congestion, Signal
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


@avoidance("sctp")
class Sctp(Avoidance):
    """The partial_bytes_acked of 7.2.2, in packets of the path MTU."""

    def __init__(self) -> None:
        self.partial_packets_acked = 0.0

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: ARG002  the window tells nothing
        """7.2.2, the last paragraph.

        "When all of the data transmitted by the sender has been acknowledged by the receiver,
        partial_bytes_acked is initialized to 0."
        """
        if ack.in_flight <= 0:
            self.partial_packets_acked = 0.0

    def adjust(self, ack: Ack, window: Window) -> None:
        """7.2.2: a packet more when a window has been acknowledged.

        "(1) partial_bytes_acked = max(0, partial_bytes_acked - cwnd). Next, (2) cwnd is increased by PMTU."
        """
        self.partial_packets_acked += ack.delivered
        if self.partial_packets_acked >= window.cwnd:
            self.partial_packets_acked = max(0.0, self.partial_packets_acked - window.cwnd)
            window.cwnd += 1

    def back_off(self, event: Congestion, used: float) -> float:
        """7.2.3: "ssthresh = max(cwnd / 2, 4 * PMTU); cwnd = ssthresh; partial_bytes_acked = 0".

        Chosen: a loss sets the window to ssthresh, but does not raise it above its old value or two packets.
        """
        self.partial_packets_acked = 0.0
        ssthresh = max(used / 2, 4.0)
        if event.restart or event.signal == Signal.TIMEOUT:
            return ssthresh
        return min(ssthresh, max(used, 2.0))
