"""Prague: draft-briscoe-iccrg-prague-congestion-control-04, section 2, and its authors' module, tcp_prague.c.

The draft has: alpha, an average with the gain 1/16 of the fraction of packets marked in each round trip; a
reduction by alpha / 2 of the window, at most once per round trip; an increase of 1 / cwnd for each packet
without a mark, in rounds with marks too; a virtual round-trip time of 25 ms, after 500 rounds of congestion
avoidance; pacing.

Where the draft is silent, the module decides: alpha begins at 1 and stays there until a mark is seen; marked
packets do not count in slow start either; the pacing rate is a window per smoothed round trip, and two
while cwnd < ssthresh / 2; below the virtual round-trip time growth is scaled by (srtt / virtual)^2, and
alpha and the window change once a round trip has ended and a virtual one has passed since the last time.

With `classic_fallback`, off in the module too, the same module's detection of classic ECN queues, which
arXiv:1911.00710 describes, scores the queue at every update of alpha. Its fixed-point numbers stand for these
real ones: averages of the round-trip time and of its deviation, with gains of 1/2^n and 1/2^(n+1), where n =
lg + lg // 2 + 1 for lg = floor(log2(ssthresh)) and at most 18, as of the last congestion signal; then

    score += 0.5 log2(deviation / 750 us) + 0.5 log2(max(depth / 2 ms, 1))

with the deviation of a microsecond at least, the depth the average above the smallest round-trip time, and
the score between 0 and 17. Above 8 a mark takes no less than c / 2, where c goes from 0 to 0.625 as the score
goes from 8 to 9.

Left open in both, and chosen here: real windows of two packets at least, to which an acknowledgment adds no
more than one; a loss leaves half of what is in use; the averages begin with the first sample with data,
where the module has that of the handshake.
"""

import math

from reference.facts import Ack, Congestion, Signal, Start
from reference.registered import controller

G = 1 / 16
MIN_CWND = 2.0

V0_US = 750.0
D0_US = 2000.0
L_STICKY = 8.0
CLASSIC_ECN = L_STICKY + 1.0
C_STICKY = CLASSIC_ECN + L_STICKY
MAX_SHIFT = 18


@controller("prague")
class Prague:
    """A scalable congestion control for the Internet."""

    accurate_ecn = True
    l4s = True

    def __init__(
        self, virtual_rtt: float = 25.0, transition: float = 500.0, classic_fallback: float = 0.0
    ) -> None:
        self.virtual_rtt = virtual_rtt / 1000.0
        self.transition = transition
        self.classic_fallback = classic_fallback == 1.0

    def begin(self, start: Start) -> None:
        """The connection begins."""
        self.cwnd: float = start.initial_window
        self.ssthresh = start.initial_ssthresh
        self.restart_window = start.restart_window
        self.alpha = 1.0
        self.seen_mark = False
        self.round: int | None = None
        self.counted: int | None = None
        self.rounds_in_avoidance = 0
        self.delivered = 0.0
        self.marked = 0.0
        self.alpha_at = 0.0
        self.reduced_at: float | None = None
        self.srtt = 0.0
        self.before: tuple[float, float] | None = None
        self.gain_shift = MAX_SHIFT
        self.slow_srtt_us: float | None = None
        self.mdev_us = 1.0
        self.classic_ecn = 0.0

    @property
    def slow_start(self) -> bool:
        """Below the threshold."""
        return self.cwnd < self.ssthresh

    @property
    def rtt_independent(self) -> bool:
        """After the transition, in congestion avoidance, on a path shorter than the virtual one."""
        return (
            not self.slow_start
            and self.rounds_in_avoidance >= self.transition
            and 0.0 < self.srtt < self.virtual_rtt
        )

    @property
    def pacing_rate(self) -> float:
        """A window in a smoothed round-trip time, or two."""
        if self.srtt == 0.0:
            return math.inf
        return (2.0 if self.cwnd < self.ssthresh / 2.0 else 1.0) * self.cwnd / self.srtt

    def on_ack(self, ack: Ack) -> None:
        """Growth, then the estimate at the end of a round trip."""
        if ack.srtt > 0.0:
            self.srtt = ack.srtt
        if ack.rtt is not None:
            self.average(ack.rtt * 1e6)
        self.count_round(ack)
        self.estimate(ack)
        self.seen_mark |= ack.ce_marked > 0
        self.delivered += ack.delivered
        self.marked += ack.ce_marked
        self.grow(ack)

    def is_recent(self, then: float, now: float) -> bool:
        """True if less than a virtual round-trip time has passed, to the nanosecond."""
        return round(now * 1e9) - round(then * 1e9) < self.virtual_rtt * 1e9

    def count_round(self, ack: Ack) -> None:
        """The round trips of congestion avoidance, for the transition."""
        if self.counted not in (None, ack.round) and not self.slow_start:
            self.rounds_in_avoidance += 1
        self.counted = ack.round

    def estimate(self, ack: Ack) -> None:
        """Section 2.3.2: alpha += g * (frac - alpha)."""
        if self.round is None:
            self.round, self.alpha_at = ack.round, ack.now
            return
        if ack.round == self.round:
            return
        if self.rtt_independent and self.is_recent(self.alpha_at, ack.now):
            return
        self.round = ack.round
        if self.seen_mark and self.delivered > 0:
            self.score_queue(ack.min_rtt * 1e6)
            self.alpha += G * (min(self.marked / self.delivered, 1.0) - self.alpha)
        self.alpha_at = ack.now
        self.delivered = self.marked = 0.0

    def average(self, rtt_us: float) -> None:
        """prague_rtt_estimator."""
        if self.slow_srtt_us is None:
            self.slow_srtt_us = rtt_us
            return
        error = rtt_us - self.slow_srtt_us
        self.slow_srtt_us += error / 2**self.gain_shift
        self.mdev_us += (abs(error) - self.mdev_us) / 2 ** (self.gain_shift + 1)

    def score_queue(self, min_rtt_us: float) -> None:
        """prague_classic_ecn_detection."""
        if self.slow_srtt_us is None:
            return
        depth_us = self.slow_srtt_us - min_rtt_us
        self.classic_ecn += 0.5 * math.log2(max(self.mdev_us, 1.0) / V0_US)
        self.classic_ecn += 0.5 * math.log2(max(depth_us / D0_US, 1.0))
        self.classic_ecn = min(max(self.classic_ecn, 0.0), C_STICKY)

    @property
    def answered_alpha(self) -> float:
        """prague_classic_ecn_fallback: the part of which a mark takes half."""
        if not self.classic_fallback or self.classic_ecn <= L_STICKY:
            return self.alpha
        return max(self.alpha, 0.625 * (min(self.classic_ecn, CLASSIC_ECN) - L_STICKY))

    def grow(self, ack: Ack) -> None:
        """Section 2.3.3: each packet without a mark."""
        packets = ack.delivered - ack.ce_marked
        if packets <= 0 or not ack.window_limited or not ack.advanced:
            return
        if ack.recovering and not self.slow_start:
            return
        if self.slow_start:
            self.cwnd = min(self.cwnd + min(packets, ack.acks), self.ssthresh)
            return
        scale = (self.srtt / self.virtual_rtt) ** 2 if self.rtt_independent else 1.0
        self.cwnd += scale * min(packets / self.cwnd, ack.acks)

    def on_congestion(self, event: Congestion) -> None:
        """Section 2.3.4: a mark takes alpha / 2, a loss half."""
        if not event.repeated:
            lg = math.floor(math.log2(min(max(self.ssthresh, 1.0), 2.0**MAX_SHIFT)))
            self.gain_shift = min(lg + lg // 2 + 1, MAX_SHIFT)
        if event.signal == Signal.ECN:
            self.seen_mark = True
            if (
                self.rtt_independent
                and self.reduced_at is not None
                and self.is_recent(self.reduced_at, event.now)
                and not event.restart
            ):
                return
            self.reduced_at = event.now
            self.before = (self.cwnd, self.ssthresh)
            self.cwnd = max(self.cwnd * (1.0 - self.answered_alpha / 2.0), MIN_CWND)
            self.ssthresh = self.cwnd
            if event.restart:
                self.cwnd = self.restart_window
            return
        if event.repeated:
            self.cwnd = self.restart_window
            return
        self.before = (self.cwnd, self.ssthresh)
        used = max(min(self.cwnd, event.flight), 1.0)
        self.ssthresh = max(used / 2.0, MIN_CWND)
        self.cwnd = self.restart_window if event.restart or event.signal == Signal.TIMEOUT else self.ssthresh

    def on_spurious(self) -> None:
        """The window before the episode, or the present one if that is larger."""
        if self.before is not None:
            cwnd, self.ssthresh = self.before
            self.cwnd = max(cwnd, self.cwnd)
            self.before = None

    def on_idle_restart(self, restart_window: float) -> None:
        """Starts again from at most the restart window."""
        self.cwnd = min(self.cwnd, max(restart_window, 1.0))
