"""TCP Veno as in Linux 6: `tcp_veno.c`, with `tcp_reno_cong_avoid` and `tcp_cong_avoid_ai` of `tcp_cong.c`.

- A sample is the round-trip time in whole microseconds and one more. `basertt` is the smallest of the
  connection, `minrtt` the smallest since the last acknowledgment that could grow the window: mostly the
  sample of that acknowledgment itself.
- The backlog is compared in half packets: diff = 2 cwnd - floor(2 cwnd basertt / minrtt), against 2 beta.
  It is renewed by every acknowledgment that can grow the window, in slow start as well, except the ones
  that find at most two samples. The samples are counted over the whole life, in 16 bits: after 65536 of
  them the first three are too few again.
- An acknowledgment without a sample finds `minrtt` at 2^31 - 1 us, and with it a backlog of the whole window.
- Below beta the window grows by `tcp_cong_avoid_ai`. From beta on a count that has reached the window is
  set to 0, and every other time the window grows by a packet; else the packets are added to the count. The
  acknowledgment that resets the count is not itself counted.
- Samples of a recovery are forgotten when it ends. After a timeout the segment is sent again with nothing in
  flight, which turns Veno on again at once.
- ssthresh is floor(4 cwnd / 5) below beta and floor(cwnd / 2) from it on, two packets at least, for losses,
  marks and timeouts alike. Before a backlog was computed it counts as 0.
- A packet that is sent with nothing in flight, as after idleness or a timeout, forgets `basertt` and
  `minrtt`, and the next growth of the congested is due.

Facts that the simulator does not give, and the rules that stand for them here:

- the state Disorder (duplicates, no recovery yet), in which Veno is off: here it is on;
- the acknowledgment that ends a recovery grows the window in Linux, without a sample: here it does not;
- `snd_cwnd` at a loss: here the packets in use, as everywhere;
- in Linux the part of an acknowledgment that slow start does not use at ssthresh counts: here it is lost, as
  everywhere.
"""

import math

from reference.facts import Ack, Congestion, Signal
from reference.linux_growth import Counter
from reference.registered import avoidance
from reference.windowed import Avoidance, Window

NO_SAMPLE = 0x7FFFFFFF


def microseconds(seconds: float) -> int:
    """Whole microseconds of a time in whole nanoseconds."""
    return round(seconds * 1e9) // 1000


@avoidance("veno-linux")
class VenoLinux(Avoidance):
    """Reno whose growth and decrease depend on the backlog."""

    def __init__(self, beta: float = 3.0) -> None:
        self.beta = beta
        self.base_rtt = NO_SAMPLE
        self.min_rtt = NO_SAMPLE
        self.samples = 0
        self.diff = 0
        self.grows = True
        self.emptied = False
        self.veno = False
        self.counter = Counter()

    @property
    def congested(self) -> bool:
        """The backlog has reached beta."""
        return self.diff >= 2 * self.beta

    def measure(self, ack: Ack, window: Window) -> None:
        """`pkts_acked`, then the state, then the part of `cong_avoid` before the growth of the window."""
        if self.emptied:
            self.on_idle_restart()
        self.emptied = ack.in_flight <= 0
        if ack.rtt is not None:
            rtt = microseconds(ack.rtt) + 1
            self.base_rtt = min(self.base_rtt, rtt)
            self.min_rtt = min(self.min_rtt, rtt)
            self.samples = (self.samples + ack.acks) % 65536
        if ack.suspended:
            self.min_rtt = NO_SAMPLE
        self.veno = False
        if not ack.may_grow:
            return
        if self.samples > 2:
            self.veno = True
            whole = math.floor(window.cwnd)
            self.diff = 2 * whole - 2 * whole * self.base_rtt // self.min_rtt
        self.min_rtt = NO_SAMPLE

    def adjust(self, ack: Ack, window: Window) -> None:
        """Additive increase, in every other round trip where congested."""
        whole = math.floor(window.cwnd)
        if not (self.veno and self.congested):
            self.counter.acknowledged(ack.delivered, whole, window)
        elif self.counter.count >= whole:
            if self.grows:
                window.cwnd += 1
            self.grows = not self.grows
            self.counter.count = 0.0
        else:
            self.counter.count += ack.delivered
        if self.veno:
            window.cwnd = max(window.cwnd, 2.0)

    def back_off(self, event: Congestion, used: float) -> float:
        """A fifth less, or half."""
        self.emptied = self.emptied or event.signal == Signal.TIMEOUT
        self.counter.count = 0.0
        whole = math.floor(used)
        return max(whole // 2 if self.congested else whole * 4 // 5, 2)

    def on_idle_restart(self) -> None:
        """`tcp_veno_init` once more."""
        self.base_rtt = self.min_rtt = NO_SAMPLE
        self.grows = True
