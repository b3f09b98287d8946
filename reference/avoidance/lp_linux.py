"""TCP-LP as in Linux 6: `tcp_lp.c`, with `tcp_reno_cong_avoid` and `tcp_reno_ssthresh` of `tcp_cong.c`.

Times are ticks of the timestamps, milliseconds. With every acknowledgment, a duplicate too:

- a delay that is not 0 is a sample. The smallest and the largest are kept; the largest of all is only held in
  reserve, and the one before it counts as the largest, except for the first sample. sowd, in eighths, is
  8 times the first sample, then rises by each sample less floor(sowd / 8);
- the inference time is three times the time since the packet acknowledged was sent; an acknowledgment is
  within inference where less than that has passed since the last reduction;
- it is within the threshold where floor(sowd / 8) < min + floor(15 (max - min) / 100), and before the first
  sample. If it is not, the smallest delay becomes floor(sowd / 8), the largest and the reserve
  floor(sowd / 4), and cwnd becomes 1 within inference, else half, cut off, one at least: a reduction.

Outside of inference the window grows as Reno's. ssthresh is not touched by a reduction, so that slow start
leads back to it, or on without end where there was no loss. Within inference nothing grows, slow start
neither; that is decided before a reduction of the same acknowledgment, so that one outside of inference
halves the window and grows it. The first sample always reduces: its range of delays is empty. So does every
one while the range is below 7 ms, of which fifteen hundredths are cut off to nothing.

A loss, mark or timeout halves the window, cut off, to two packets at least.

Facts that the simulator does not give, and the rules that stand for them here:

- the one-way delay by the timestamps of both ends: in its place stands the round-trip time in ticks, as of
  clocks that agree and of a way back without a queue. In Linux the unknown difference of both clocks is in
  every delay, and thus in the width of the range after a reduction;
- the estimate of the other clock's rate: both clocks run alike. The first sample is that of the first
  acknowledgment whose two timestamps both differ from those before, which Linux needs for the estimate;
- a reduction waits until the window limits the sender;
- an acknowledgment that measures no round-trip time leaves the inference time as it is;
- a reduction in recovery, which the end of recovery sets to ssthresh: here it leaves the window alone;
- `snd_cwnd` at a loss: here the packets in use, as everywhere.
"""

import math

from reference.facts import Ack, Congestion
from reference.linux_growth import Counter
from reference.registered import avoidance
from reference.windowed import Avoidance, Window

NO_SAMPLE = 0xFFFFFFFF


def ticks(nanoseconds: int) -> int:
    """The value of a timestamp."""
    return nanoseconds // 1_000_000


@avoidance("lp-linux")
class LpLinux(Avoidance):
    """Reno that gives way to a delay above fifteen hundredths of its range."""

    def __init__(self) -> None:
        self.sowd = 0
        self.owd_min = NO_SAMPLE
        self.owd_max = 0
        self.owd_max_reserve = 0
        self.inference = 0
        self.last_drop: int | None = None
        self.within_inference = False
        self.stamps: tuple[int, int] | None = None
        self.clock_known = False
        self.counter = Counter()

    def measure(self, ack: Ack, window: Window) -> None:
        """`pkts_acked`: samples, and reductions."""
        now_ns = round(ack.now * 1e9)
        now = ticks(now_ns)
        if ack.rtt is not None:
            sent = ticks(max(now_ns - round(ack.rtt * 1e9), 0))
            if self.stamps is not None and now != self.stamps[0] and sent != self.stamps[1]:
                self.clock_known = True
            self.stamps = (now, sent)
            elapsed = now - sent
            if elapsed > 0:
                if self.clock_known:
                    self.sample(elapsed)
                self.inference = 3 * elapsed
        self.within_inference = self.last_drop is not None and now - self.last_drop < self.inference
        if self.sowd > 0 and not self.within_threshold() and (ack.suspended or ack.may_grow):
            self.reduce(now, window, change=not ack.suspended)

    def sample(self, delay: int) -> None:
        """`rtt_sample`: the range of delays and the smoothed delay."""
        self.owd_min = min(self.owd_min, delay)
        if delay > self.owd_max:
            if delay > self.owd_max_reserve:
                self.owd_max = self.owd_max_reserve or delay
                self.owd_max_reserve = delay
            else:
                self.owd_max = delay
        self.sowd += delay - self.sowd // 8 if self.sowd else 8 * delay

    def within_threshold(self) -> bool:
        """The smoothed delay is in the lowest fifteen hundredths."""
        return self.sowd // 8 < self.owd_min + 15 * (self.owd_max - self.owd_min) // 100

    def reduce(self, now: int, window: Window, *, change: bool) -> None:
        """A new range, and half the window or one packet."""
        self.owd_min = self.sowd // 8
        self.owd_max = self.owd_max_reserve = self.sowd // 4
        self.last_drop = now
        if change:
            window.cwnd = 1.0 if self.within_inference else max(math.floor(window.cwnd) // 2, 1.0)

    @property
    def pauses(self) -> bool:  # type: ignore[override]
        """Within inference."""
        return self.within_inference

    def adjust(self, ack: Ack, window: Window) -> None:
        """As Reno."""
        self.counter.acknowledged(ack.delivered, math.floor(window.cwnd), window)

    def back_off(self, event: Congestion, used: float) -> float:  # noqa: ARG002  all signals alike
        """Half."""
        self.counter.count = 0.0
        return max(math.floor(used) // 2, 2)
