"""TCP Vegas: tcp-variants, section 2.3.

And the paper it describes: L. S. Brakmo and L. L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a
Global Internet", IEEE Journal on Selected Areas in Communications 13(8), 1995.

Left open in tcp-variants, and chosen here as in the version of ns-2, the simulator it used:

- the round-trip time of a round: the mean of its samples;
- the first round of slow start: it rests;
- what is given back when slow start ends: an eighth;
- what a loss leaves: three quarters, a timeout half;
- the smallest window: two packets.

Settings choose otherwise:

- `rounded`: the difference is rounded to whole packets, half a packet up, as in ns-2;
- `least_rtt`: the smallest sample of a round is its round-trip time, as in Linux;
- `sent`: the actual rate counts the packets sent in the round, the expected one those in flight, as in ns-2;
- `base_since_idle`: base_rtt is the smallest RTT since the sender last had nothing in flight, as in Linux;
- `spread`: a packet more comes in equal parts with the acknowledgments up to the next decision, as in ns-2.
"""

import math

from reference.facts import Ack, Congestion, Signal
from reference.registered import avoidance, slow_start
from reference.windowed import Avoidance, SlowStart, Window


class RoundTrips:
    """Collects the round-trip times sampled in each round."""

    def __init__(self) -> None:
        self.round: int | None = None
        self.samples: list[float] = []

    def measure(self, ack: Ack) -> list[float] | None:
        """If the acknowledgment opens a new round, the samples of the round before."""
        finished = None
        if self.round is None:
            self.round = ack.round
        elif ack.round != self.round:
            self.round = ack.round
            finished = self.samples
            self.samples = []
        if ack.rtt is not None:
            self.samples.append(ack.rtt)
        return finished


def difference(cwnd: float, base_rtt: float, samples: list[float]) -> float:
    """Equation 3: diff = cwnd(t) / base_rtt - cwnd / rtt, in packets per second.

    "rtt is an observed round trip time, base_rtt is smallest value of observed RTTs".
    """
    rtt = sum(samples) / len(samples)
    return cwnd / base_rtt - cwnd / rtt


@slow_start("vegas")
class VegasSlowStart(SlowStart):
    """Section 2.3.3: "the congestion window is allowed to grow only every other RTT".

    "A similar congestion detection mechanism is applied during slow-start to decide when to change to the
    congestion avoidance phase": when the difference exceeds gamma (Brakmo and Peterson).
    """

    def __init__(self, gamma: float = 1.0, cut: float = 0.125) -> None:
        self.gamma = gamma
        self.cut = cut
        self.round_trips = RoundTrips()
        self.growing = False
        self.rested: list[float] | None = None

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: ARG002  it judges later
        """Lets rounds of growth and of rest alternate."""
        finished = self.round_trips.measure(ack)
        if finished is None:
            return
        if self.growing:
            self.growing = False
            self.rested = None
        else:
            self.growing = True
            self.rested = finished

    def grow(self, ack: Ack, window: Window) -> None:
        """Judges the round of rest once, then grows as standard slow start does."""
        if not self.growing:
            return
        rested = self.rested
        self.rested = None
        if rested and difference(window.cwnd, ack.min_rtt, rested) > self.gamma / ack.min_rtt:
            smallest = min(window.cwnd, 2.0)
            window.cwnd = max(window.cwnd - self.cut * window.cwnd, smallest)
            window.ssthresh = window.cwnd
            return
        window.cwnd = min(window.cwnd + min(ack.delivered, ack.acks), window.ssthresh)

    def on_congestion(self) -> None:
        """Discards measurements of the old window."""
        self.round_trips.samples = []
        self.rested = None


@avoidance("vegas")
class Vegas(Avoidance):
    """Section 2.3.2: keeps between alpha and beta packets queued.

    A round whose last acknowledgment may not grow the window decides nothing: the window it would judge was
    not in use.
    """

    def __init__(
        self,
        alpha: float = 1.0,
        beta: float = 3.0,
        keep: float = 0.75,
        rounded: float = 0.0,
        least_rtt: float = 0.0,
        sent: float = 0.0,
        spread: float = 0.0,
        base_since_idle: float = 0.0,
    ) -> None:
        self.base_since_idle = base_since_idle
        self.min_since_idle: float | None = None
        self.was_idle = False
        self.sent = sent
        self.spread = spread
        self.delivered = 0.0
        self.sent_at_the_end = (0.0, 0.0)
        self.share = 0.0
        self.rounded = rounded
        self.least_rtt = least_rtt
        self.alpha = alpha
        self.beta = beta
        self.keep = keep
        self.round_trips = RoundTrips()
        self.finished: list[float] | None = None

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: ARG002  it judges later
        """Notices the end of a round."""
        self.finished = self.round_trips.measure(ack)
        if ack.rtt is not None:
            if self.was_idle or self.min_since_idle is None:
                self.min_since_idle = ack.rtt
            self.min_since_idle = min(self.min_since_idle, ack.rtt)
            self.was_idle = False
        if ack.in_flight == 0:
            self.was_idle = True
        self.delivered += ack.delivered
        if self.finished is not None:
            self.sent_at_the_end = (self.sent_at_the_end[1], self.delivered + ack.in_flight)

    def adjust(self, ack: Ack, window: Window) -> None:
        """Equation 3, once per round-trip time."""
        if self.finished is not None:
            self.decide(ack, window)
        window.cwnd += self.share

    def decide(self, ack: Ack, window: Window) -> None:
        """A packet more, or one less."""
        self.share = 0.0
        if not self.finished:
            return
        base_rtt = (self.min_since_idle if self.base_since_idle else None) or ack.min_rtt
        samples = [min(self.finished)] if self.least_rtt else self.finished
        diff = difference(window.cwnd, base_rtt, samples)
        if self.sent:
            before, at_the_end = self.sent_at_the_end
            in_round = at_the_end - before
            diff = (ack.in_flight + 1) / base_rtt - in_round / (sum(samples) / len(samples))
        if self.rounded:
            diff = math.floor(diff * base_rtt + 0.5) / base_rtt
        if diff < self.alpha / base_rtt:
            if self.spread:
                self.share = 1 / window.cwnd
            else:
                window.cwnd += 1.0
        elif self.beta / base_rtt < diff:
            smallest = min(window.cwnd, 2.0)
            window.cwnd = max(window.cwnd - 1.0, smallest)
            window.ssthresh = min(window.ssthresh, window.cwnd)

    def back_off(self, event: Congestion, used: float) -> float:
        """Three quarters after a loss, half after a timeout, and two packets at least."""
        self.round_trips.samples = []
        self.finished = None
        self.share = 0.0
        kept = 0.5 if event.signal == Signal.TIMEOUT else self.keep
        return max(kept * used, 2.0)
