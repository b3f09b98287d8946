"""HE-TCP: he-tcp, section 3.

Figure 2 is the specification where the text differs from it, except for one point: in figure 2 the estimate
sets ssthresh from the first sample on, which ends slow start at once, although figure 1 has a slow start.
Here the estimate sets ssthresh only after slow start has ended; ``from_start`` follows figure 2.
"""

import math

from reference.facts import Ack, Congestion, Signal
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


@avoidance("hetcp")
class HeTcp(Avoidance):
    """The generalised time-sliding window estimator (GTSW), and standard TCP about the threshold it sets."""

    def __init__(
        self,
        n: float = 10.0,
        loss_estimate: float = 0.0,
        smoothed: float = 0.0,
        from_start: float = 0.0,
        low_window: float = 0.0,
    ) -> None:
        self.n = n
        self.loss_estimate = loss_estimate
        self.smoothed = smoothed > 0
        self.from_start = from_start > 0
        self.low_window = low_window
        self.in_slow_start = not self.from_start
        self.bw = 0.0
        self.ack_count = 1.0
        self.previous_time: float | None = None

    def measure(self, ack: Ack, window: Window) -> None:
        """Figure 2, upper part.

        "if (AckCnt >= SampleInterval) { DelTime = now - PreTime; T_ratio = DelTime / (BaseRTT + DelTime);
        CurBW = (PacketSize * AckCnt) / DelTime; BW = (1.0 - T_ratio) * PreBW + T_ratio * CurBW;
        ssthresh = (int)(BW * BaseRTT / PacketSize); .. AckCnt = 1 } else { AckCnt += 1 }"

        AckCnt counts the present acknowledgment before it is looked at. Here packets are counted, and one
        that is acknowledged in parts counts in parts.
        """
        if window.cwnd >= window.ssthresh:
            self.in_slow_start = False
        if self.previous_time is None:
            self.previous_time = ack.now
            return
        self.ack_count += ack.delivered
        count = self.ack_count - 1.0
        interval = max(math.floor(window.cwnd / self.n), 1)
        if count < interval or ack.min_rtt == 0:
            return
        memory = ack.srtt if self.smoothed else ack.min_rtt
        elapsed = ack.now - self.previous_time
        self.bw = memory / (memory + elapsed) * self.bw + count / (memory + elapsed)
        self.previous_time = ack.now
        self.ack_count = 1.0
        if not self.in_slow_start and window.cwnd >= self.low_window:
            # A whole number of packets stays whole, whatever the rounding of the last bit.
            window.ssthresh = max(math.floor(self.bw * ack.min_rtt + 1e-9), 1)

    def adjust(self, ack: Ack, window: Window) -> None:
        """Figure 2: "if (cwnd < ssthresh) cwnd += 1; else cwnd += 1/cwnd". The former is slow start's."""
        window.cwnd += min(ack.delivered, ack.acks) / window.cwnd

    def back_off(self, event: Congestion, used: float) -> float:
        """Figure 2: "cwnd = cwnd / 2; PreBW = 0; ssthresh = 0"; and standard TCP after a timeout."""
        self.bw = self.loss_estimate
        if (event.restart or event.signal == Signal.TIMEOUT) and not self.from_start:
            self.in_slow_start = True
        else:
            self.in_slow_start = False
        return max(used / 2, 2.0)
