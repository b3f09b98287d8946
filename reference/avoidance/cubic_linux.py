"""CUBIC as in Linux 6, by a description of its rules.

- Windows are whole packets, and every division is cut off. `cnt` packets acknowledged give one more.
- `cnt` is computed with each acknowledgment in avoidance; while the window is the one of the last time, not
  before 1/32 s after it.
- The first time after a reduction an epoch begins: t is zero, the standard window W is cwnd, and a = the
  packets of this acknowledgment. K is zero and the origin cwnd where max, the window of the last loss, is
  not above cwnd. Otherwise the origin is max, and K the cube root of 2^40 / (10 bic_scale) (max - cwnd), in
  1024ths of a second.
- With t in 1024ths of a second since the epoch began, and the smallest delay added, the target is the
  origin plus 10 bic_scale (t - K)^3 / 2^40; `cnt` is cwnd / (target - cwnd), or 100 cwnd where the target
  is not above cwnd. Before the first loss it is 20 at the most.
- a counts all packets acknowledged in the epoch. While it is above d = cwnd s / 8, with s = 8 (1024 + beta)
  / 3 / (1024 - beta), it loses d, and W grows by one. A W above cwnd makes `cnt` cwnd / (W - cwnd) at the
  most.
- `cnt` is 2 at the least.
- A loss sets max to the window, or, with fast convergence and a window below max, to (1 + beta) / 2 of it,
  and keeps beta, two packets at the least. A timeout keeps as much, and forgets max and the smallest delay.
- The smallest delay is that of acknowledgments outside the first second of an epoch.
- A transmission with nothing in flight moves the beginning of the epoch by the time since the last segment
  was sent, and to its own time at the most.

Chosen here: the last segment before an acknowledgment with nothing in flight was sent a round-trip time
before it, and the next segment a round-trip time before the acknowledgment after it. d is one at the least:
with a beta near zero and a window of a few packets it is zero, and W would grow for ever.
"""

import math

from reference.facts import Ack, Congestion, Signal
from reference.linux_growth import Counter
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


@avoidance("cubic-linux")
class CubicLinux(Avoidance):
    """The cubic by counts of acknowledged packets."""

    def __init__(
        self,
        beta: float = 717 / 1024,
        bic_scale: float = 41.0,
        fast_convergence: float = 1.0,
        tcp_friendliness: float = 1.0,
        limit: float = math.inf,
    ) -> None:
        self.beta = round(beta * 1024)
        self.scale = round(bic_scale)
        self.fast_convergence = fast_convergence >= 0.5
        self.friendly = tcp_friendliness >= 0.5
        self.limit = limit
        self.counter = Counter()
        self.last_max = 0
        self.cnt = 0
        self.last: tuple[int, float] | None = None
        self.epoch: float | None = None
        self.k = 0
        self.origin = 0
        self.ack_cnt = 0
        self.tcp_cwnd = 0
        self.delay_min = 0.0
        self.last_sent: float | None = None

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: ARG002  the window tells nothing
        """The smallest delay, and the beginning of a transmission."""
        sent = ack.now - (ack.srtt if ack.rtt is None else ack.rtt)
        if self.last_sent is not None and self.epoch is not None:
            self.epoch = min(self.epoch + max(sent - self.last_sent, 0.0), sent)
        self.last_sent = sent if ack.in_flight == 0 else None
        if ack.rtt is None or (self.epoch is not None and ack.now - self.epoch < 1):
            return
        self.delay_min = min(ack.rtt, self.delay_min) if self.delay_min else ack.rtt

    def update(self, now: float, cwnd: int, acked: int) -> None:
        """Computes `cnt`."""
        self.ack_cnt += acked
        if self.last is not None and self.last[0] == cwnd and round(1e9 * (now - self.last[1])) <= 31_250_000:
            return
        self.last = cwnd, now
        if self.epoch is None:
            self.epoch, self.ack_cnt, self.tcp_cwnd = now, acked, cwnd
            self.origin = max(self.last_max, cwnd)
            self.k = int(((1 << 40) // (10 * self.scale) * (self.origin - cwnd)) ** (1 / 3))
        t = round(1e9 * (now - self.epoch + self.delay_min)) * 1024 // 10**9
        delta = (10 * self.scale * abs(t - self.k) ** 3) >> 40
        target = max(self.origin - delta, 0) if t < self.k else self.origin + delta
        self.cnt = cwnd // (target - cwnd) if target > cwnd else 100 * cwnd
        if self.last_max == 0:
            self.cnt = min(self.cnt, 20)
        if self.friendly:
            d = max(cwnd * (8 * (1024 + self.beta) // 3 // (1024 - self.beta)) // 8, 1)
            while self.ack_cnt > d:
                self.ack_cnt -= d
                self.tcp_cwnd += 1
            if self.tcp_cwnd > cwnd:
                self.cnt = min(self.cnt, cwnd // (self.tcp_cwnd - cwnd))
        self.cnt = max(self.cnt, 2)

    def adjust(self, ack: Ack, window: Window) -> None:
        """Increase."""
        acked = min(ack.delivered, self.limit * ack.acks)
        self.update(ack.now, math.floor(window.cwnd), math.floor(acked))
        self.counter.acknowledged(acked, self.cnt, window)

    def back_off(self, event: Congestion, used: float) -> float:
        """Decrease."""
        self.counter = Counter()
        self.epoch = self.last_sent = None
        cwnd = math.floor(used)
        if cwnd < self.last_max and self.fast_convergence:
            self.last_max = cwnd * (1024 + self.beta) // 2048
        else:
            self.last_max = cwnd
        if event.signal == Signal.TIMEOUT:
            self.last_max, self.last, self.delay_min = 0, None, 0.0
        return max(cwnd * self.beta // 1024, 2)
