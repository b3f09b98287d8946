"""HyStart in Linux: ``hystart_update`` and ``cubictcp_acked`` of net/ipv4/tcp_cubic.c, version 6."""

import math

from reference.facts import Ack
from reference.registered import slow_start
from reference.windowed import SlowStart, Window


@slow_start("hystart-linux")
class HyStartLinux(SlowStart):
    """Hybrid slow start, by ack trains and by delays. Times of the parameters are in milliseconds."""

    def __init__(
        self,
        low_window: float = 16.0,
        ack_delta: float = 2.0,
        min_samples: float = 8.0,
        train: float = 1.0,
        delay: float = 1.0,
        paced: float = 0.0,
    ) -> None:
        self.low_window = low_window
        self.ack_delta = ack_delta / 1e3
        self.min_samples = min_samples
        self.by_train, self.by_delay, self.paced = train > 0, delay > 0, paced > 0
        self.reset()

    def reset(self) -> None:
        """``bictcp_reset`` and ``bictcp_hystart_reset``."""
        self.found = False
        self.packets_to_end_seq = -1.0
        """Packets between snd_una and end_seq; negative once snd_una is after it."""
        self.round_start = self.last_ack = 0.0
        self.curr_rtt = math.inf
        self.sample_cnt = 0
        self.delay_min = math.inf

    def measure(self, ack: Ack, window: Window) -> None:
        """``cubictcp_acked``: "first time call or link delay decreases", then HyStart in slow start."""
        self.packets_to_end_seq -= ack.delivered
        if ack.rtt is None:
            return
        self.delay_min = min(self.delay_min, ack.rtt)
        if self.found or window.cwnd >= window.ssthresh or window.cwnd < self.low_window:
            return
        if self.packets_to_end_seq < 0:
            # "if (after(tp->snd_una, ca->end_seq)) bictcp_hystart_reset(sk)", where end_seq = snd_nxt.
            self.packets_to_end_seq = ack.in_flight
            self.round_start = self.last_ack = ack.now
            self.curr_rtt, self.sample_cnt = math.inf, 0
        if self.by_train and ack.now - self.last_ack <= self.ack_delta:
            # "ack-train detection"; pacing might have delayed packets up to RTT/2.
            self.last_ack = ack.now
            threshold = self.delay_min + 1e-3
            if not self.paced:
                threshold /= 2
            if ack.now - self.round_start > threshold:
                self.found = True
        if self.by_delay:
            # "obtain the minimum delay of more than sampling packets"
            self.curr_rtt = min(self.curr_rtt, ack.rtt)
            if self.sample_cnt < self.min_samples:
                self.sample_cnt += ack.acks
            elif self.curr_rtt > self.delay_min + min(max(self.delay_min / 8, 4e-3), 16e-3):
                self.found = True
        if self.found:
            # The threshold is set before this acknowledgment grows the window.
            window.ssthresh = window.cwnd

    def grow(self, ack: Ack, window: Window) -> None:
        """``tcp_slow_start``."""
        window.cwnd = min(window.cwnd + ack.delivered, window.ssthresh)

    def on_timeout(self) -> None:
        """``cubictcp_state``: TCP_CA_Loss."""
        self.reset()
