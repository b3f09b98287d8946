"""H-TCP as in Linux 6, by a description of its rules.

- alpha and beta are in 128ths: alpha begins with 128, beta is from 64 to 102.
- Growth: if count * alpha / 128 has reached the window, the window grows by a packet, the count becomes
  0 and alpha is renewed; otherwise the packets of the acknowledgment are counted.
- alpha = 2 factor (128 - beta). With d the seconds beyond the first since the end of the last recovery,
  factor is 1 + the whole part of 10 d + d^2 / 4. With scaling it is multiplied by 8, divided by scale, cut
  off, and at least 1; scale is the whole part of 0.8 s over the shortest round-trip time, from 4 to 80.
- The longest round-trip time: outside of recovery it is raised to the shortest, then to a sample that is at
  most 20 ms above it.
- Throughput: outside of recovery, once alpha / 128 packets (at least one) fewer than a window were
  delivered and the shortest round-trip time has passed since the last sample, the packets per second are
  the sample: by itself in the first four round trips after a recovery, then with a weight of a quarter. The
  largest mean since the last loss counts. In recovery the count begins anew.
- A loss or timeout renews beta, then alpha, then lets the longest round-trip time fade to 95 % of its
  distance from the shortest, and keeps beta / 128 of the window in whole packets, two at the least. The
  count of the growth begins anew.
- beta is 64 where the largest throughput differs from the one before by more than a fifth of that, at the
  first loss that finds it otherwise, and for round-trip times up to 10 ms; else it is 128 shortest /
  longest, cut off, from 64 to 102.

Times are exact here, and in whole nanoseconds where they are compared.
"""

import math

from reference.facts import Ack, Congestion, nanoseconds
from reference.registered import avoidance
from reference.windowed import Avoidance, Window

SECOND = 1_000_000_000


@avoidance("htcp-linux")
class HtcpLinux(Avoidance):
    """Growth by the time since the last recovery."""

    def __init__(
        self, rtt_scaling: float = 1.0, bandwidth_switch: float = 1.0, limit: float = math.inf
    ) -> None:
        self.rtt_scaling = rtt_scaling
        self.bandwidth_switch = bandwidth_switch
        self.limit = limit
        self.alpha = 128.0
        self.beta = 64
        self.modeswitch = False
        self.count = 0.0
        self.last_congestion: int | None = None
        self.min_rtt = 0
        self.max_rtt = 0
        self.packets = 0.0
        self.last_time: int | None = None
        self.b = 0.0
        self.max_b = 0.0
        self.old_max_b = 0.0

    def measure(self, ack: Ack, window: Window) -> None:
        """Round-trip times and throughput."""
        now = nanoseconds(ack.now)
        if self.last_congestion is None or ack.recovering:
            self.last_congestion = now
        if ack.rtt is not None:
            self.min_rtt = nanoseconds(ack.min_rtt)
            if not ack.recovering:
                self.max_rtt = max(self.max_rtt, self.min_rtt)
                if self.max_rtt < nanoseconds(ack.rtt) <= self.max_rtt + SECOND // 50:
                    self.max_rtt = nanoseconds(ack.rtt)
        if self.last_time is None or ack.recovering:
            self.last_time = now
            self.packets = 0.0
        if not ack.recovering:
            self.packets += ack.delivered
            self.sample(now, math.floor(window.cwnd), now - self.last_time)

    def sample(self, now: int, cwnd: int, elapsed: int) -> None:
        """Takes a sample of the throughput, if one is due."""
        if self.last_congestion is None:
            raise AssertionError("every acknowledgment is measured first")
        if self.packets < cwnd - max(self.alpha // 128, 1) or elapsed < self.min_rtt or self.min_rtt == 0:
            return
        b = self.packets / (elapsed / SECOND)
        if (now - self.last_congestion) // self.min_rtt <= 3:
            self.b = self.max_b = b
        else:
            self.b = (3 * self.b + b) / 4
            self.max_b = max(self.max_b, self.b)
        self.packets = 0.0
        self.last_time = now

    def renew_alpha(self, now: int) -> None:
        """The growth."""
        since = 0 if self.last_congestion is None else now - self.last_congestion
        factor = 1
        if since > SECOND:
            d = since / SECOND - 1
            factor = 1 + math.floor(10 * d + d * d / 4)
        if self.rtt_scaling and self.min_rtt:
            scale = min(max(math.floor(8 / (10 * (self.min_rtt / SECOND))), 4), 80)
            factor = max(8 * factor // scale, 1)
        self.alpha = 2.0 * factor * (128 - self.beta)

    def renew_beta(self) -> None:
        """The part to keep."""
        old, self.old_max_b = self.old_max_b, self.max_b
        self.beta = 64
        if self.bandwidth_switch and not 4 * old <= 5 * self.max_b <= 6 * old:
            self.modeswitch = False
        elif not self.modeswitch or self.min_rtt <= SECOND // 100:
            self.modeswitch = True
        else:
            ratio = (self.min_rtt / SECOND) / (self.max_rtt / SECOND)
            self.beta = min(max(math.floor(128 * ratio), 64), 102)

    def adjust(self, ack: Ack, window: Window) -> None:
        """Increase."""
        if self.count * self.alpha / 128 >= math.floor(window.cwnd):
            window.cwnd += 1
            self.count = 0.0
            self.renew_alpha(nanoseconds(ack.now))
        else:
            self.count += min(ack.delivered, self.limit * ack.acks)

    def back_off(self, event: Congestion, used: float) -> float:
        """Decrease."""
        self.renew_beta()
        self.renew_alpha(nanoseconds(event.now))
        self.max_rtt = self.min_rtt + round(0.95 * max(self.max_rtt - self.min_rtt, 0))
        self.last_congestion = nanoseconds(event.now)
        self.count = 0.0
        return max(math.floor(math.floor(used) * self.beta / 128), 2)
