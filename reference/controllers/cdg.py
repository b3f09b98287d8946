"""CDG as in Linux: `tcp_cdg.c`, whose names are used here.

Windows are whole packets and round-trip times whole microseconds, divided as integers, as in the kernel. Two
things are not its arithmetic: e^-x is the function itself, of which the kernel has a table (and says 0 from
x = 16.8 on), and no product wraps at 32 bits.

Of the kernel's TCP, a backoff needs ``tcp_enter_cwr`` and ``tcp_end_cwnd_reduction``. Until something sent
after it is acknowledged, the window does not grow, the module learns nothing but round-trip times, and a loss
or a mark reduces no further; it cannot be undone. The window falls over the round trip by PRR, in proportion
to what is delivered. A loss ends that at the threshold, and completes with its recovery; after a timeout the
threshold stays ("if it has not yet been made inside this window"). While a timeout is repaired, a backoff
leaves window and threshold as they are.

Left to chance or to others there, and chosen here:

- the random number of a backoff is SplitMix64's output function of the nanoseconds since the first
  acknowledgment, as the state ``seed`` steps before;
- data sent before is told from data sent after by counting packets: what is in flight is in front of it;
- `sacked_out` is zero for an acknowledgment that advances while nothing is repaired;
- `tcp_is_cwnd_limited` is the transport's judgment; its undo gives back the threshold from before, if larger;
- a pause ends a reduction.
"""

import math

from reference.facts import Ack, Congestion, Signal, Start, nanoseconds
from reference.linux_growth import Counter
from reference.registered import controller
from reference.split_mix import output, share
from reference.windowed import Window

ACK_TRAIN, DELAY = 1, 2


class MinMax:
    """The extremes of round-trip times, of gradients or of their sums; zero stands for none."""

    def __init__(self, least: int = 0, most: int = 0) -> None:
        self.min = least
        self.max = most

    def __bool__(self) -> bool:
        return bool(self.min or self.max)


@controller("cdg")
class Cdg:
    """A window that backs off by chance, the likelier the faster the round-trip times grow."""

    def __init__(
        self,
        window: float = 8.0,
        backoff_beta: float = 0.7071,
        backoff_factor: float = 42.0,
        hystart_detect: float = 3.0,
        use_ineff: float = 5.0,
        use_shadow: float = 1.0,
        use_tolerance: float = 0.0,
        seed: float = 0.0,
    ) -> None:
        self.length = int(window)
        self.beta_1024 = int(min(backoff_beta, 1.0) * 1024)
        self.backoff_factor = backoff_factor
        self.hystart_detect = int(hystart_detect)
        self.use_ineff = use_ineff
        self.use_shadow = use_shadow > 0
        self.use_tolerance = use_tolerance > 0
        self.seed = int(seed)

    def begin(self, start: Start) -> None:
        """``tcp_cdg_init``."""
        self.snd = Window(start.initial_window, start.initial_ssthresh)
        self.restart_window = start.restart_window
        self.snd_cwnd_cnt = Counter()
        self.before: Window | None = None
        self.packets_to_high_seq: float | None = None
        """Packets until something sent after a backoff is acknowledged; None outside CWR by a backoff."""
        self.prior_cwnd = 0.0
        self.prr_delivered = 0.0
        self.began_ns: int | None = None
        self.in_reduction = False
        """CWR or Recovery by the transport's signals."""
        self.forget()

    def forget(self) -> None:
        """The module's state is zero but for the shadow window."""
        self.rtt = MinMax()
        self.rtt_prev = MinMax()
        self.gradients = [MinMax() for _ in range(self.length)]
        self.gsum = MinMax()
        self.gfilled = False
        self.tail = 0
        self.state = "unknown"
        self.delack = 0
        self.undo_cwnd = 0.0
        self.shadow_wnd = self.snd.cwnd
        self.backoff_cnt = 0
        self.sample_cnt = 0
        self.delay_min = 0
        self.last_ack: int | None = None
        self.round_start = 0
        self.packets_to_rtt_seq = 0.0

    @property
    def cwnd(self) -> float:
        """The window in packets."""
        return self.snd.cwnd

    @property
    def ssthresh(self) -> float:
        """The slow-start threshold in packets."""
        return self.snd.ssthresh

    @property
    def pacing_rate(self) -> float:
        """None of its own."""
        return math.inf

    def draw(self, age_ns: int) -> float:
        """``prandom_u32``, as a part of its range."""
        return share(output(age_ns, self.seed))

    def on_ack(self, ack: Ack) -> None:
        """``tcp_clean_rtx_queue``, ``tcp_fastretrans_alert`` and ``tcp_cong_control``."""
        if self.began_ns is None:
            self.began_ns = nanoseconds(ack.now)
        self.packets_to_rtt_seq -= ack.delivered
        if ack.rtt is not None:
            self.acked(ack, nanoseconds(ack.rtt) // 1000)
        if self.packets_to_high_seq is not None:
            self.packets_to_high_seq -= ack.delivered
            self.cwnd_reduction(ack, ends=self.packets_to_high_seq < 0)
        elif self.in_reduction and not ack.suspended:
            self.in_reduction = False
            self.complete_cwr(ack)
        reduces = ack.suspended or self.packets_to_high_seq is not None
        if ack.advanced and ack.delivered > 0 and not reduces:
            self.cong_avoid(ack)

    def acked(self, ack: Ack, rtt_us: int) -> None:
        """``tcp_cdg_acked``: samples of delayed acknowledgments do not count, if they are recognised."""
        if rtt_us <= 0:
            return
        if ack.advanced and not ack.recovering:
            if ack.delivered == 1 and self.delack > 0:
                self.rtt.min = min(self.rtt.min, rtt_us)
                self.delack -= 1
                return
            if ack.delivered > 1 and self.delack < 5:
                self.delack += 1
        self.rtt.min = min(self.rtt.min or rtt_us, rtt_us)
        self.rtt.max = max(self.rtt.max, rtt_us)

    def cwnd_reduction(self, ack: Ack, *, ends: bool) -> None:
        """``tcp_cwnd_reduction`` after a backoff, and its end."""
        self.prr_delivered += ack.delivered
        if ends:
            self.packets_to_high_seq = None
            self.snd.cwnd = self.snd.ssthresh
            self.complete_cwr(ack)
            return
        # What is sent is to what is delivered as the new window to the one before.
        part = self.prr_delivered / self.prior_cwnd
        left = self.prior_cwnd - (self.prior_cwnd - self.snd.ssthresh) * part
        self.snd.cwnd = max(left, self.snd.ssthresh)

    def complete_cwr(self, ack: Ack) -> None:
        """``CA_EVENT_COMPLETE_CWR``: the reduction's gradient is not measured."""
        self.state = "unknown"
        self.begin_round(ack)

    def begin_round(self, ack: Ack) -> None:
        """The round that ends has become the previous one."""
        self.packets_to_rtt_seq = ack.in_flight
        self.rtt_prev, self.rtt = self.rtt, MinMax()

    def cong_avoid(self, ack: Ack) -> None:
        """``tcp_cdg_cong_avoid``."""
        if self.snd.cwnd < self.snd.ssthresh and self.hystart_detect:
            self.hystart_update(ack)
        if self.packets_to_rtt_seq < 0 and self.rtt:
            grad = self.grad() if self.rtt_prev else 0
            self.begin_round(ack)
            self.last_ack = None
            self.sample_cnt = 0
            if grad > 0 and self.backoff(grad, ack):
                return
        if not ack.window_limited:
            self.shadow_wnd = min(self.shadow_wnd, self.snd.cwnd)
            return
        before = self.snd.cwnd
        self.reno_cong_avoid(ack.delivered)
        self.shadow_wnd += self.snd.cwnd - before

    def reno_cong_avoid(self, acked: float) -> None:
        """``tcp_reno_cong_avoid``: what slow start leaves counts in congestion avoidance."""
        if self.snd.cwnd < self.snd.ssthresh:
            cwnd = min(self.snd.cwnd + acked, self.snd.ssthresh)
            acked -= cwnd - self.snd.cwnd
            self.snd.cwnd = cwnd
        if acked > 0:
            self.snd_cwnd_cnt.acknowledged(acked, math.floor(self.snd.cwnd), self.snd)

    def hystart_update(self, ack: Ack) -> None:
        """``tcp_cdg_hystart_update``: slow start ends here."""
        if self.rtt.min:
            self.delay_min = min(self.delay_min or self.rtt.min, self.rtt.min)
        if self.delay_min == 0:
            return
        if self.hystart_detect & ACK_TRAIN:
            now_us = nanoseconds(ack.now) // 1000
            if self.last_ack is None or not ack.window_limited:
                self.last_ack = self.round_start = now_us
            elif now_us < self.last_ack + 3000:
                self.last_ack = now_us
                if now_us > self.round_start + max(self.delay_min // 2, 125):
                    self.snd.ssthresh = self.snd.cwnd
                    return
        if self.hystart_detect & DELAY:
            if self.sample_cnt < 8:
                self.sample_cnt += 1
            elif self.rtt.min > max(self.delay_min + self.delay_min // 8, 125):
                self.snd.ssthresh = self.snd.cwnd

    def grad(self) -> int:
        """``tcp_cdg_grad``: the sum of the last gradients, one for each round trip."""
        gmin = self.rtt.min - self.rtt_prev.min
        gmax = self.rtt.max - self.rtt_prev.max
        if self.length > 1:
            oldest = self.gradients[self.tail]
            self.gsum = MinMax(self.gsum.min + gmin - oldest.min, self.gsum.max + gmax - oldest.max)
            self.gradients[self.tail] = MinMax(gmin, gmax)
            self.tail = (self.tail + 1) % self.length
            gmin, gmax = self.gsum.min, self.gsum.max
        grad = gmin if gmin > 0 else gmax
        if not self.gfilled:
            if self.tail == 0:
                self.gfilled = True
            elif grad > 0:
                grad = grad * self.length // self.tail
        if gmin <= -32 or gmax <= -32:
            # "Backoff was effectual".
            self.backoff_cnt = 0
        if self.use_tolerance:
            self.infer_queue(gmin, gmax)
        return grad

    def infer_queue(self, gmin: int, gmax: int) -> None:
        """A full queue has the same maximum as before; sums below half of 64 us count as zero."""
        if gmin >= 32 and gmax < 32:
            self.state = "full"
        elif (gmin >= 32 and gmax >= 32) or gmax <= -32:
            self.state = "nonfull"

    def backoff(self, grad: int, ack: Ack) -> bool:
        """``tcp_cdg_backoff``: with the probability 1 - exp(-grad * backoff_factor / 1e6)."""
        age_ns = nanoseconds(ack.now) - (self.began_ns or 0)
        if self.draw(age_ns) <= math.exp(-grad * self.backoff_factor / 1e6):
            return False
        if self.use_ineff > 0:
            self.backoff_cnt += 1
            if self.backoff_cnt > self.use_ineff:
                return False
        self.shadow_wnd = max(self.shadow_wnd, self.snd.cwnd)
        self.state = "backoff"
        self.before = None
        if not ack.recovering:
            self.prior_cwnd, self.prr_delivered = self.snd.cwnd, 0.0
            self.snd.ssthresh = self.reduced()
            self.snd_cwnd_cnt.count = 0.0
            self.packets_to_high_seq = ack.in_flight
        return True

    def reduced(self) -> float:
        """``tcp_cdg_ssthresh``."""
        self.undo_cwnd = self.snd.cwnd
        cwnd = math.floor(self.snd.cwnd)
        if self.state == "backoff":
            return max(2.0, math.floor(cwnd * self.beta_1024 / 1024))
        if self.state == "nonfull" and self.use_tolerance:
            return cwnd
        self.shadow_wnd = min(math.floor(self.shadow_wnd / 2), cwnd)
        return max(2.0, self.shadow_wnd if self.use_shadow else 0.0, math.floor(cwnd / 2))

    def on_congestion(self, event: Congestion) -> None:
        """``tcp_enter_recovery``, ``tcp_enter_cwr`` for a mark, or ``tcp_enter_loss``."""
        if event.repeated:
            self.snd.cwnd = self.restart_window
            return
        restart = event.restart or event.signal == Signal.TIMEOUT
        if self.packets_to_high_seq is None:
            self.before = Window(self.snd.cwnd, self.snd.ssthresh)
            self.snd.ssthresh = self.reduced()
            self.snd_cwnd_cnt.count = 0.0
        elif not restart and event.signal == Signal.ECN:
            return
        self.snd.cwnd = self.restart_window if restart else self.snd.ssthresh
        self.packets_to_high_seq = None
        self.in_reduction = not restart

    def on_spurious(self) -> None:
        """``tcp_cdg_undo_cwnd``."""
        if self.before is not None:
            ssthresh = max(self.snd.ssthresh, self.before.ssthresh)
            self.snd = Window(max(self.snd.cwnd, self.undo_cwnd), ssthresh)
            self.before = None

    def on_idle_restart(self, restart_window: float) -> None:
        """``CA_EVENT_CWND_RESTART``, then the window of restart."""
        self.forget()
        self.packets_to_high_seq = None
        self.in_reduction = False
        self.snd.cwnd = min(self.snd.cwnd, max(restart_window, 1.0))
