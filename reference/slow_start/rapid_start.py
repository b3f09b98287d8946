"""Rapid Start: draft-kazuho-ccwg-rapid-start-02, section 3.

The window grows threefold in a round trip while no queue builds up, and the first recovery takes it back by
what arrives and what is lost. The draft leaves these points open, and is read as follows:

- ``rtt_floor`` is that of the transport's rounds, as HyStart++ has it. The last round's stays until a round
  has a sample.
- beta is the avoidance's: what it keeps over what was in use, at most 1.
- The recovery belongs to Rapid Start if the loss or mark finds the window below the threshold. After a
  timeout, or in avoidance, the ordinary rules hold, and Rapid Start is over.
- The acknowledgment that tells of the first loss counts, since what it reports was in flight before
  ("pre_recovery_cwnd = bytes_acked + bytes_lost", appendix A). The first one that is not suspended comes
  after the recovery.
- ssthresh follows the window, so that avoidance goes on from where the recovery ends.
- The first flight is paced until its round or Rapid Start ends.
- The least window is pre_recovery_cwnd beta / 3 and two packets (RFC 5681, equation 4; RFC 9002, 7.2), and
  never more than the window was. The sender does not stop at its initial window times beta, which it MAY.
- A second episode within the recovery ends it. Later slow starts are standard ones.
"""

import math

from reference.facts import Ack
from reference.registered import slow_start
from reference.windowed import SlowStart, Window


@slow_start("rapid-start")
class RapidStart(SlowStart):
    """Threefold growth without a queue, and a recovery by what arrives."""

    def __init__(
        self, rise: float = 4.0, factor: float = 1.1, pacing: float = 1.0, limit: float = math.inf
    ) -> None:
        self.rise = rise / 1e3
        self.factor = factor
        self.paces = pacing > 0
        self.limit = limit
        self.rtt_floor = self.min_rtt = math.inf
        self.round: int | None = None
        """The round of rtt_floor."""
        self.first_round: int | None = None
        self.srtt: float | None = None
        self.is_first = True
        """No episode has begun, or none but the present one."""
        self.starts = True
        """No episode has begun."""
        self.recovery: Recovery | None = None

    def measure(self, ack: Ack, window: Window) -> None:
        """The least round-trip times, and the recovery."""
        if ack.rtt is not None:
            self.min_rtt = ack.min_rtt
            # "currentRoundMinRTT tracked for sequence-based rounds"
            self.rtt_floor = min(self.rtt_floor, ack.rtt) if ack.round == self.round else ack.rtt
            self.round = ack.round
        if self.recovery is not None:
            if ack.suspended:
                window.cwnd = window.ssthresh = self.recovery.reduced(window.cwnd, ack)
            else:
                self.recovery = None
        self.pace(ack)

    def pace(self, ack: Ack) -> None:
        """Paces "over a full RTT" in the first round of acknowledgments."""
        if self.first_round is None:
            self.first_round = ack.round
        if ack.round != self.first_round:
            self.paces = False
        self.srtt = ack.srtt if self.paces and ack.srtt > 0 else None

    def pacing_rate(self, window: Window) -> float | None:
        """The window in a round-trip time."""
        return None if self.srtt is None else window.cwnd / self.srtt

    def grow(self, ack: Ack, window: Window) -> None:
        """Two bytes for every byte acknowledged unless a queue builds up, then one."""
        queue_buildup_thresh = min(self.min_rtt + self.rise, self.min_rtt * self.factor)
        fast = self.starts and not self.rtt_floor > queue_buildup_thresh
        counted = min(ack.delivered, self.limit * ack.acks)
        window.cwnd = min(window.cwnd + (2 * counted if fast else counted), window.ssthresh)

    def on_congestion(self) -> None:
        """The first episode may be Rapid Start's; every other ends it."""
        self.is_first, self.starts = self.starts, False
        self.recovery = None
        self.paces, self.srtt = False, None

    def on_reduction(self, before: Window, share: float, window: Window) -> None:
        """Scales the window by the silence factor: sending pauses until the flight has fallen as far."""
        if self.is_first and before.cwnd < before.ssthresh:
            self.recovery = Recovery(before.cwnd, min(share, 1.0))
            window.cwnd = window.ssthresh = max(
                before.cwnd * self.recovery.silence_factor, self.recovery.least
            )


class Recovery:
    """The first recovery period, with the factors of section 3.3.1."""

    def __init__(self, pre_recovery_cwnd: float, beta: float) -> None:
        k = 2 / 3
        self.silence_factor = beta + k * (1 - beta)
        self.ack_factor = k * (1 - beta)
        self.loss_factor = beta + k * (1 - beta)
        self.least = min(max(pre_recovery_cwnd * beta / 3, 2.0), pre_recovery_cwnd)

    def reduced(self, cwnd: float, ack: Ack) -> float:
        """The window after an acknowledgment; never above the one before."""
        smaller = cwnd - self.ack_factor * ack.delivered - self.loss_factor * ack.lost
        return min(max(smaller, self.least), cwnd)
