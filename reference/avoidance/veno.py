"""TCP Veno: Fu and Liew, IEEE Journal on Selected Areas in Communications 21(2), 2003, section III.

- A: N = Actual * (RTT - BaseRTT), Actual = cwnd / RTT, where RTT is smoothed. BaseRTT is the smallest
  round-trip time; unlike in Vegas, every loss resets it, whether duplicates or a timeout found it.
- B: with each new acknowledgment the window grows by 1 / cwnd where N < beta, else with every other one.
- C: a loss found by duplicates where N < beta is taken for a random one, and ssthresh becomes 4/5 of the
  window, else half. Slow start, and with it a timeout, is Reno's.
- beta is 3.

Left open there, and chosen here:

- N is measured with every acknowledgment, from the window before it grows;
- growth at every other acknowledgment is half the growth at each;
- without a round-trip time since the last loss there is no N, and the network counts as congested;
- a mark (RFC 3168, section 5: as a lost packet) resets BaseRTT too; it is not random, so that half of the
  window remains; - at least two packets of the window remain.
"""

from math import inf

from reference.facts import Ack, Congestion, Signal
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


@avoidance("veno")
class Veno(Avoidance):
    """Reno that tells random losses from congestion by the backlog."""

    def __init__(self, beta: float = 3.0, limit: float = inf) -> None:
        self.beta = beta
        self.limit = limit
        self.base_rtt: float | None = None
        self.backlog: float | None = None

    @property
    def congested(self) -> bool:
        """N >= beta, or unknown."""
        return self.backlog is None or self.backlog >= self.beta

    def measure(self, ack: Ack, window: Window) -> None:
        """N."""
        if ack.rtt is not None:
            self.base_rtt = ack.rtt if self.base_rtt is None else min(self.base_rtt, ack.rtt)
        if self.base_rtt is not None and ack.srtt > 0.0:
            actual = window.cwnd / ack.srtt
            self.backlog = actual * (ack.srtt - self.base_rtt)

    def adjust(self, ack: Ack, window: Window) -> None:
        """Additive increase."""
        packets = min(ack.delivered, self.limit * ack.acks)
        growth = min(packets / window.cwnd, ack.acks)
        window.cwnd += growth / 2.0 if self.congested else growth

    def back_off(self, event: Congestion, used: float) -> float:
        """Multiplicative decrease."""
        random = event.signal == Signal.LOSS and not self.congested
        self.base_rtt = None
        self.backlog = None
        return max((0.8 if random else 0.5) * used, 2.0)
