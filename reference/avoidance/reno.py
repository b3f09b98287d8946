"""The congestion avoidance of standard TCP: RFC 5681, section 3.1; Alternative Backoff with ECN: RFC 8511."""

from math import inf

from reference.facts import Ack, Congestion, Signal
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


@avoidance("reno")
class Reno(Avoidance):
    """Additive increase, multiplicative decrease."""

    def __init__(self, limit: float = inf, ecn_beta: float = 0.0) -> None:
        self.limit = limit
        self.ecn_beta = ecn_beta

    def adjust(self, ack: Ack, window: Window) -> None:
        """Counts bytes: "the RECOMMENDED way to increase cwnd during congestion avoidance".

        One packet for every window "acknowledged by ACKs for new data", and with one acknowledgment no more
        than one packet: "cwnd MUST NOT be increased by more than SMSS bytes per RTT" (RFC 3465, 2.1, the
        same). A ``limit`` of one packet is equation 3: cwnd += SMSS*SMSS/cwnd, "executed on every incoming
        ACK that acknowledges new data", where an acknowledgment of a fraction of a packet counts as that
        fraction.
        """
        counted = ack.delivered if self.limit == inf else min(ack.delivered, self.limit * ack.acks)
        window.cwnd += min(counted * (1.0 / window.cwnd), ack.acks)

    def back_off(self, event: Congestion, used: float) -> float:
        """Equation 4: ssthresh = max(FlightSize / 2, 2*SMSS).

        RFC 8511, 3.1, after a mark: max(FlightSize * beta_ecn, 2*SMSS).
        """
        if event.signal == Signal.ECN and self.ecn_beta > 0.0:
            return max(used * self.ecn_beta, 2.0)
        return max(used / 2.0, 2.0)
