"""TCP-LP: Kuzmanovic and Knightly, INFOCOM 2003, section III; IEEE/ACM ToN 14(4), 2006.

The rules of the paper: the smoothed delay is sd = (1 - gamma) sd + gamma d; congestion is inferred early if
sd > d_min + (d_max - d_min) delta; then the window halves and an inference phase begins, in which it does
not grow, for three round-trip times; another indication in it sets the window to one packet. After the
phase the window grows as standard TCP's does, whose reactions to losses are kept.

Left open there, and chosen here:

- delays are round-trip times;
- slow start is standard TCP's and is not left by an early indication (Linux leaves phases to the transport,
  too);
- an indication counts with an acknowledgment that may grow the window;
- the phase lasts this many smoothed round-trip times; an indication in it counts from the second round trip
  on, of packets sent after the reduction;
- one packet begins another phase, as in Linux.
"""

import math

from reference.avoidance.reno import Reno
from reference.facts import Ack, Congestion
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


@avoidance("lp")
class Lp(Avoidance):
    """Low priority by early congestion indication."""

    def __init__(
        self, delta: float = 0.15, gamma: float = 0.125, inference: float = 3.0, limit: float = math.inf
    ) -> None:
        self.delta = delta
        self.gamma = gamma
        self.inference = inference
        self.standard = Reno(limit)
        self.d_min = math.inf
        self.d_max = 0.0
        self.smoothed: float | None = None
        self.reduced_in = 0
        self.phase_ends = -math.inf

    def in_phase(self, ack: Ack) -> bool:
        """True if the inference timer runs."""
        return ack.now < self.phase_ends

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: ARG002  it judges later
        """Section III-A, the delay; III-B, the reactions."""
        if ack.rtt is None:
            return
        self.d_min = min(self.d_min, ack.rtt)
        self.d_max = max(self.d_max, ack.rtt)
        if self.smoothed is None:
            self.smoothed = ack.rtt
        self.smoothed += self.gamma * (ack.rtt - self.smoothed)

    def adjust(self, ack: Ack, window: Window) -> None:
        """The reactions to an early indication; additive increase outside of the phase."""
        self.infer(ack, window)
        if not self.in_phase(ack):
            self.standard.adjust(ack, window)

    def infer(self, ack: Ack, window: Window) -> None:
        """Section III-B: half the window, then one packet."""
        if self.smoothed is None:
            return
        if self.smoothed <= self.d_min + (self.d_max - self.d_min) * self.delta:
            return
        if not self.in_phase(ack):
            window.cwnd = max(window.cwnd / 2.0, 1.0)
        elif ack.round >= self.reduced_in + 2:
            window.cwnd = 1.0
        else:
            return
        window.ssthresh = min(window.ssthresh, window.cwnd)
        self.reduced_in = ack.round
        self.phase_ends = ack.now + self.inference * ack.srtt

    def back_off(self, event: Congestion, used: float) -> float:
        """As standard TCP."""
        return self.standard.back_off(event, used)
