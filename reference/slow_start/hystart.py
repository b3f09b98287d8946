"""HyStart++: RFC 9406, section 4."""

import math

from reference.facts import Ack
from reference.registered import slow_start
from reference.windowed import SlowStart, Window


@slow_start("hystart")
class HyStart(SlowStart):
    """Standard slow start (SS), conservative slow start (CSS), and the phase after them.

    Times of the parameters are in milliseconds.
    """

    def __init__(
        self,
        min_rtt_thresh: float = 4.0,
        max_rtt_thresh: float = 16.0,
        min_rtt_divisor: float = 8.0,
        n_rtt_sample: float = 8.0,
        css_growth_divisor: float = 4.0,
        css_rounds: float = 5.0,
        limit: float = 8.0,
    ) -> None:
        self.min_rtt_thresh = min_rtt_thresh / 1e3
        self.max_rtt_thresh = max_rtt_thresh / 1e3
        self.min_rtt_divisor = min_rtt_divisor
        self.n_rtt_sample = n_rtt_sample
        self.css_growth_divisor = css_growth_divisor
        self.css_rounds = css_rounds
        self.limit = limit
        self.round: int | None = None
        self.last_round_min_rtt = math.inf
        self.current_round_min_rtt = math.inf
        self.rtt_sample_count = 0
        self.css_baseline_min_rtt = math.inf
        self.in_css = False
        self.grows_as_css = False
        self.css_round_count = 0
        self.css_complete = False
        self.initial = True

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: ARG002  only grow() moves it
        """Rounds and their smallest round-trip times.

        "At the start of each round during standard slow start and CSS, initialize the variables used to
        compute the last round's and current round's minimum RTT: lastRoundMinRTT = currentRoundMinRTT,
        currentRoundMinRTT = infinity, rttSampleCount = 0".
        """
        if self.round is None:
            self.round = ack.round
        elif self.round != ack.round:
            self.round = ack.round
            self.last_round_min_rtt = self.current_round_min_rtt
            self.current_round_min_rtt = math.inf
            self.rtt_sample_count = 0
            if self.in_css:
                # "CSS lasts at most CSS_ROUNDS rounds. If the transition into CSS happens in the middle of a
                # round, that partial round counts towards the limit."
                self.css_round_count += 1
                if self.css_round_count >= self.css_rounds:
                    self.in_css = False
                    self.css_complete = True
        # "Update the cwnd" comes before "keep track of the minimum observed RTT".
        self.grows_as_css = self.in_css
        if ack.rtt is None:
            return
        self.current_round_min_rtt = min(self.current_round_min_rtt, ack.rtt)
        self.rtt_sample_count += 1
        if self.rtt_sample_count >= self.n_rtt_sample and self.initial and not self.css_complete:
            self.check()

    def check(self) -> None:
        """True if the delay has risen, or the rise was spurious."""
        if self.in_css:
            if self.current_round_min_rtt < self.css_baseline_min_rtt:
                self.css_baseline_min_rtt = math.inf
                self.in_css = False
        elif self.last_round_min_rtt != math.inf:
            rtt_thresh = max(
                self.min_rtt_thresh, min(self.last_round_min_rtt / self.min_rtt_divisor, self.max_rtt_thresh)
            )
            if self.current_round_min_rtt >= self.last_round_min_rtt + rtt_thresh:
                self.css_baseline_min_rtt = self.current_round_min_rtt
                self.in_css = True
                self.css_round_count = 0

    def grow(self, ack: Ack, window: Window) -> None:
        """SS: cwnd + min(N, L SMSS). CSS: cwnd + min(N, L SMSS) / CSS_GROWTH_DIVISOR.

        "If CSS_ROUNDS rounds are complete, enter congestion avoidance by setting the ssthresh to the current
        cwnd."
        """
        if self.css_complete and self.initial:
            window.ssthresh = window.cwnd
            self.initial = False
            return
        if not self.initial:
            growth = min(ack.delivered, ack.acks)
        else:
            growth = min(ack.delivered, self.limit * ack.acks)
            if self.grows_as_css:
                growth /= self.css_growth_divisor
        window.cwnd = min(window.cwnd + growth, window.ssthresh)

    def on_congestion(self) -> None:
        """A later slow start is a standard one: "only for the initial slow start" (4.3)."""
        self.initial = False
        self.in_css = False
