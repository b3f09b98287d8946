"""TCP Vegas as in Linux: `tcp_vegas.c` in Linux 6, or in 2.6.22 if `round_before` is set.

Unlike Brakmo and Peterson's: any recovery; slow start in every round trip; the smallest round-trip time of a
round; whole packets; a round with one or two samples, which may be of delayed acknowledgments, is one of
standard TCP. A round is one outside of recovery from its beginning to its end. The acknowledgment that ends a
round measures a round-trip time for it, but its packets belong to the next round.
"""

import math

from reference.facts import Ack, Congestion, nanoseconds
from reference.linux_growth import Counter
from reference.registered import avoidance, slow_start
from reference.windowed import Avoidance, SlowStart, Window


class Rounds:
    """The last round trip: its samples, its packets and the window before it."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.valid = False
        self.samples: list[float] = []
        self.count = 0
        self.packets = 0.0
        self.window = 0.0

    def ended(self, ack: Ack, cwnd: float) -> tuple[float | None, float, float] | None:
        """The smallest sample (None of one or two), the packets and the window of a round that ends now."""
        if ack.recovering:
            self.valid = False
        if ack.rtt is not None:
            self.samples.append(ack.rtt)
            self.count += ack.acks
        found = None
        if ack.round != self.number:
            if self.valid:
                found = (min(self.samples) if self.count > 2 else None, self.packets, self.window)
            self.number = ack.round
            self.valid = not ack.recovering
            self.samples = []
            self.count = 0
            self.packets = 0.0
            self.window = cwnd
        self.packets += ack.delivered
        return found


@slow_start("vegas-linux")
class VegasLinuxSlowStart(SlowStart):
    """Standard slow start that looks for a queue once in a round trip."""

    def __init__(self, gamma: float = 1.0, round_before: float = 0.0) -> None:
        self.gamma = gamma
        self.round_before = bool(round_before)
        self.rounds = Rounds()
        self.last: tuple[float | None, float, float] | None = None

    def measure(self, ack: Ack, window: Window) -> None:
        """Notices the end of a round."""
        self.last = self.rounds.ended(ack, window.cwnd)

    def grow(self, ack: Ack, window: Window) -> None:
        """Ends slow start with the window without a queue plus a packet, or grows."""
        rtt, packets, _ = self.last or (None, 0.0, 0.0)
        if rtt is not None:
            if self.round_before:
                halves = 2 * math.floor(packets) * nanoseconds(ack.min_rtt) // nanoseconds(rtt)
                target = halves // 2
                too_many = 2 * math.floor(packets) - halves > 2 * self.gamma
            else:
                whole = math.floor(window.cwnd)
                target = whole * nanoseconds(ack.min_rtt) // nanoseconds(rtt)
                queueing = nanoseconds(rtt) - nanoseconds(ack.min_rtt)
                too_many = whole * queueing // nanoseconds(ack.min_rtt) > self.gamma
            if too_many:
                window.cwnd = max(min(window.cwnd, target + 1.0), 2.0)
                window.ssthresh = min(window.ssthresh, window.cwnd)
                return
        counted = min(ack.delivered, ack.acks) if self.round_before else ack.delivered
        window.cwnd = min(window.cwnd + counted, window.ssthresh)

    def on_congestion(self) -> None:
        """The round is not judged."""
        self.rounds.valid = False
        self.last = None


@avoidance("vegas-linux")
class VegasLinux(Avoidance):
    """A packet more or less in each round trip."""

    def __init__(self, alpha: float = 2.0, beta: float = 4.0, round_before: float = 0.0) -> None:
        self.alpha = alpha
        self.beta = beta
        self.round_before = bool(round_before)
        self.rounds = Rounds()
        self.last: tuple[float | None, float, float] | None = None
        self.standard = Counter()

    def measure(self, ack: Ack, window: Window) -> None:
        """Notices the end of a round."""
        self.last = self.rounds.ended(ack, window.cwnd)

    def adjust(self, ack: Ack, window: Window) -> None:
        """Compares the window with the one without a queue, by the round-trip time."""
        if self.last is None:
            return
        rtt, packets, before = self.last
        if rtt is None:
            self.standard.acknowledged(ack.delivered, math.floor(window.cwnd), window)
            return
        if self.round_before:
            whole = math.floor(packets)
            diff = whole - 2 * whole * nanoseconds(ack.min_rtt) // nanoseconds(rtt) / 2
            wanted = before
        else:
            queueing = nanoseconds(rtt) - nanoseconds(ack.min_rtt)
            diff = math.floor(window.cwnd) * queueing // nanoseconds(ack.min_rtt)
            wanted = window.cwnd
        if diff > self.beta:
            wanted -= 1
        elif diff < self.alpha:
            wanted += 1
        if wanted > window.cwnd:
            window.cwnd += 1
        elif wanted < window.cwnd:
            window.cwnd = max(window.cwnd - 1, min(window.cwnd, 2.0))
            window.ssthresh = min(window.ssthresh, window.cwnd)

    def back_off(self, event: Congestion, used: float) -> float:  # noqa: ARG002  the same for any signal
        """Half, and two packets at least."""
        self.rounds.valid = False
        self.last = None
        self.standard.count = 0.0
        return max(math.floor(used / 2), 2.0)
