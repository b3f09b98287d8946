"""TCP Illinois as in Linux 6: `tcp_illinois.c`, by Liu, Basar and Srikant, Performance Evaluation 65, 2008.

- alpha is in 128ths: the least is 38 (3/10 cut off), the largest 1280, and that of a small window 128. beta
  is in 64ths: the least is 8, the largest 32, which is also that of a small window. Both begin with their
  largest value.
- Round-trip times are in whole microseconds and count for 3355443 at most. The smallest and the largest are
  of the whole connection; the mean is of the round, cut off; da and dm are both less the smallest. The
  samples of a round are counted in 16 bits.
- A round ends with the first acknowledgment, of packets sent after the end of the last round, that may grow
  the window apart from its use. Then a window below `low_window` has alpha 128 and beta 32; else, with
  samples:

  - alpha: up to floor(dm / 100) it is 1280 where no round was above, or with the `theta`-th such round since;
    until then it stays. The rounds need not follow each other: one above does not begin the count anew.
    Above, with both delays less floor(dm / 100), it is
    floor(1280 dm / (dm + floor(1242 da / 38)));
  - beta: 8 up to d2 = floor(dm / 10), 32 from d3 = floor(8 dm / 10) on or where d3 <= d2, and between them
    floor((8 d3 - 32 d2 + 24 da) / (d3 - d2)).

- Growth: the packets acknowledged are counted, and once delta = floor(count * alpha / 128) has reached the
  window it grows by floor(delta / cwnd); the count begins anew, without a rest.
- A loss or mark leaves cwnd - floor(cwnd * beta / 64), two packets at least. A timeout does too, and sets
  alpha to 128, beta to 32, and forgets the round and the count of rounds.

Facts that the simulator does not give, and the rules that stand for them here:

- `snd_nxt` at the end of a round: here a round ends with the number of round trips; one that begins after a
  recovery, amid a round trip, ends with it, not a whole one later. One that begins with a timeout ends
  after the restart, when what had been sent before is acknowledged;
- the packets that the cumulative acknowledgment covers, those selectively acknowledged before among them:
  here the packets newly delivered;
- `snd_cwnd` at a loss: here the packets in use, as everywhere.
"""

import math

from reference.facts import Ack, Congestion, Signal
from reference.registered import avoidance
from reference.windowed import Avoidance, Window

ALPHA_MIN = 38
ALPHA_BASE = 128
ALPHA_MAX = 1280
BETA_MIN = 8
BETA_MAX = 32
RTT_MAX = 0xFFFFFFFF // ALPHA_MAX
NO_SAMPLE = 0x7FFFFFFF


def microseconds(seconds: float) -> int:
    """Whole microseconds of a time in whole nanoseconds."""
    return round(seconds * 1e9) // 1000


@avoidance("illinois-linux")
class IllinoisLinux(Avoidance):
    """Growth and decrease by the mean queueing delay of the last round."""

    def __init__(self, low_window: float = 15.0, theta: float = 5.0) -> None:
        self.low_window = low_window
        self.theta = theta
        self.alpha = ALPHA_MAX
        self.beta = BETA_MAX
        self.base_rtt = NO_SAMPLE
        self.max_rtt = 0
        self.rtt_above = False
        self.rtt_low = 0
        self.round: int | None = None
        self.restarted = False
        self.sum_rtt = 0
        self.cnt_rtt = 0
        self.count = 0.0

    def measure(self, ack: Ack, window: Window) -> None:
        """`pkts_acked`, and the end of a round."""
        if ack.rtt is not None:
            rtt = min(microseconds(ack.rtt), RTT_MAX)
            self.base_rtt = min(self.base_rtt, rtt)
            self.max_rtt = max(self.max_rtt, rtt)
            self.cnt_rtt = (self.cnt_rtt + ack.acks) % 65536
            self.sum_rtt += rtt * ack.acks
        if self.restarted:
            self.round = ack.round
            self.restarted = False
        may_raise = not ack.suspended and ack.advanced and ack.delivered > 0
        if may_raise and ack.round != self.round:
            self.update_params(math.floor(window.cwnd))
            self.reset_round()
            self.round = ack.round

    def reset_round(self) -> None:
        """A round begins."""
        self.sum_rtt = 0
        self.cnt_rtt = 0

    def update_params(self, cwnd: int) -> None:
        """Renews alpha and beta."""
        if cwnd < self.low_window:
            self.alpha = ALPHA_BASE
            self.beta = BETA_MAX
        elif self.cnt_rtt > 0:
            da = self.sum_rtt // self.cnt_rtt - self.base_rtt
            dm = self.max_rtt - self.base_rtt
            self.alpha = self.new_alpha(da, dm)
            self.beta = new_beta(da, dm)

    def new_alpha(self, da: int, dm: int) -> int:
        """Growth: from 1280 at a low delay to 38 at the largest."""
        d1 = dm // 100
        if da <= d1:
            if not self.rtt_above:
                return ALPHA_MAX
            self.rtt_low += 1
            if self.rtt_low < self.theta:
                return self.alpha
            self.rtt_low = 0
            self.rtt_above = False
            return ALPHA_MAX
        self.rtt_above = True
        dm -= d1
        da -= d1
        return dm * ALPHA_MAX // (dm + da * (ALPHA_MAX - ALPHA_MIN) // ALPHA_MIN)

    def adjust(self, ack: Ack, window: Window) -> None:
        """Increase."""
        whole = math.floor(window.cwnd)
        self.count += ack.delivered
        delta = math.floor(self.count * self.alpha / 128)
        if delta >= whole:
            window.cwnd += delta // whole
            self.count = 0.0

    def back_off(self, event: Congestion, used: float) -> float:
        """Decrease."""
        whole = math.floor(used)
        kept = max(whole - whole * self.beta // 64, 2)
        self.count = 0.0
        if event.signal == Signal.TIMEOUT:
            self.alpha = ALPHA_BASE
            self.beta = BETA_MAX
            self.rtt_low = 0
            self.rtt_above = False
            self.reset_round()
            self.restarted = True
        return kept


def new_beta(da: int, dm: int) -> int:
    """The part given up: from 8 at a low delay to 32 at a large one."""
    d2 = dm // 10
    d3 = 8 * dm // 10
    if da <= d2:
        return BETA_MIN
    if da >= d3 or d3 <= d2:
        return BETA_MAX
    return (BETA_MIN * d3 - BETA_MAX * d2 + (BETA_MAX - BETA_MIN) * da) // (d3 - d2)
