"""C4: draft-huitema-ccwg-c4-spec-02 (February 2026), whose names are used here, in its order.

Its whole text could not be had. What is here is common to the revisions before and after it, with what their
lists of changes give to it: the window of the initial state, the probe level, and the response to marks.

Where the text is silent, or was not seen, the author's code of 20 February 2026 (picoquic) decides:

- the table of probe levels. A push that succeeds raises the level, another one lowers it to 1 at least, and
  marks or losses found by then set it to 0. One that was application limited and brought nothing leaves it;
- losses ("in some condition") reduce nominal_max_rtt too, and the loss rate begins anew after a recovery;
- an increase in the initial state is one by a quarter of what its alpha would bring, as after a push.

Read by their prose, since the formulas are slips: the nominal rate rises to a higher estimate; the margin is
added to the round-trip time; beta of a delay is the excess over the target, divided by the threshold.

Left open, and chosen here:

- an era ends with a sample of the delivery rate of a packet sent in it, and was application limited if all of
  its samples were. Cruising lasts its eras, and until one was not application limited;
- "the last 2 eras" are those counted without increase;
- marks end the initial state where delays would, and nothing ends it before a rate is known;
- an acknowledgment is a round-trip time, then the losses and the marks that it tells, then a rate. Only the
  first signal counts; what is lost was sent before what is acknowledged;
- a timeout sends again from the restart window until the next delivery, and what the timer declares lost is
  no loss ("no-pto"); pauses after the first delivery, undone losses and the transport's own notice of a loss
  or a mark change nothing.
"""

import math

from reference.facts import Ack, Congestion, RateSample, Signal, Start
from reference.registered import controller

ALPHA_INITIAL, ALPHA_RECOVERY, ALPHA_CRUISING = 2.0, 15 / 16, 1.0
ALPHA_PUSHING = (33 / 32, 17 / 16, 5 / 4, 5 / 4)
CRUISING_ERAS = (4, 4, 4, 1)
FIRST_LEVEL, LAST_LEVEL = 1, 3
MAX_JITTER = 0.250
MAX_MARGIN = 0.015
MAX_DELAY_THRESHOLD = 0.025
MAX_BETA = 1 / 4
MIN_CWND = 2.0


@controller("c4")
class C4:
    """A nominal rate and a nominal maximum of round-trip times, which pushes test."""

    state: str
    probe_level: int
    cruising_eras_left: int

    def __init__(self, packet_size: float = 1460.0, ecn: float = 1.0) -> None:
        self.packet_size = packet_size
        self.accurate_ecn = self.l4s = ecn > 0

    def begin(self, start: Start) -> None:
        """The connection begins."""
        self.cwnd = start.initial_window
        self.pacing_rate = math.inf
        self.nominal_rate = 0.0
        self.nominal_max_rtt = 0.0
        self.running_min_rtt = math.inf
        self.delivered = 0.0
        self.smoothed_loss_rate = 0.0
        self.ecn_alpha = 0.0
        self.has_restarted = False
        self.restart_window = start.restart_window
        self.has_timed_out = False
        self.rate_at_recovery = 0.0
        self.alpha_current = ALPHA_INITIAL
        self.enter_initial(start.initial_window)

    # Eras

    def begin_era(self, alpha: float) -> None:
        """Begins one, to which all that is sent from now on belongs."""
        self.alpha_previous, self.alpha_current = self.alpha_current, alpha
        self.era_sequence = self.delivered
        self.era_max_rtt = 0.0
        self.era_min_rtt = math.inf
        self.rate_at_era = self.nominal_rate
        self.was_app_limited = True

    def on_ack(self, ack: Ack) -> None:
        """Signals, the rate, and the end of an era."""
        self.delivered += ack.delivered
        if ack.rtt is not None:
            self.handle_rtt(ack.rtt)
        self.handle_losses(ack)
        self.handle_marks(ack)
        if ack.delivered > 0:
            self.has_timed_out = False
        if ack.rate is not None:
            self.handle_rate(ack.rate)
        if self.state == "initial":
            self.initial_cwnd += ack.delivered / 8**self.nb_eras_no_increase
        if ack.rate is not None and ack.rate.prior_delivered >= self.era_sequence:
            self.end_era()
        if not self.has_timed_out:
            self.set_rate_and_window()

    def handle_rate(self, rate: RateSample) -> None:
        """Nominal rate: "The data rate measurements can only cause increases"."""
        if not rate.app_limited:
            self.was_app_limited = False
        if not (self.state == "recovery" and self.is_congested):
            self.nominal_rate = max(self.nominal_rate, rate.rate)

    def end_era(self) -> None:
        """Transitions "typically happen at the end of an era"."""
        if self.state == "initial":
            self.end_initial_era()
            return
        self.update_max_rtt()
        if self.state == "recovery":
            self.exit_recovery()
        elif self.state == "pushing":
            self.enter_recovery(congested=False)
        else:
            self.cruising_eras_left -= 1
            if self.cruising_eras_left <= 0 and not self.was_app_limited:
                self.state = "pushing"
                self.begin_era(ALPHA_PUSHING[self.probe_level])
            else:
                self.begin_era(ALPHA_CRUISING)

    def update_max_rtt(self) -> None:
        """Nominal max RTT: only of packets that were sent at no more than the nominal rate."""
        if self.alpha_previous > 1.0 or self.era_max_rtt == 0.0:
            return
        if self.era_min_rtt < self.running_min_rtt:
            self.running_min_rtt = self.era_min_rtt
        else:
            self.running_min_rtt = (7 * self.running_min_rtt + self.era_min_rtt) / 8
        era_max_rtt = min(self.era_max_rtt, self.running_min_rtt + MAX_JITTER)
        if era_max_rtt > self.nominal_max_rtt:
            self.nominal_max_rtt = era_max_rtt
        else:
            self.nominal_max_rtt = (7 * self.nominal_max_rtt + era_max_rtt) / 8

    # Initial

    def enter_initial(self, cwnd: float) -> None:
        """At the beginning, after rapid increases and, once, for high jitter."""
        self.state = "initial"
        self.is_congested = False
        self.initial_cwnd = cwnd
        self.initial_sequence = self.delivered
        self.nb_eras_no_increase = 0
        self.probe_level = FIRST_LEVEL
        self.begin_era(ALPHA_INITIAL)

    def end_initial_era(self) -> None:
        """Three eras without increase end the state, "omitting" those that were application limited."""
        if self.has_increased(self.rate_at_era, ALPHA_INITIAL):
            self.nb_eras_no_increase = 0
        elif not self.was_app_limited and self.nominal_rate > 0:
            self.nb_eras_no_increase += 1
        if self.nb_eras_no_increase >= 3:
            self.exit_initial(congested=False)
        else:
            self.begin_era(ALPHA_INITIAL)

    def exit_initial(self, *, congested: bool) -> None:
        """The largest round-trip time is half of the last CWND, divided by the last nominal rate."""
        self.nominal_max_rtt = self.window() / 2 / self.nominal_rate
        self.enter_recovery(congested=congested)

    # Recovery

    def enter_recovery(self, *, congested: bool) -> None:
        """From any other state."""
        self.follows_push = self.state == "pushing"
        self.push_alpha = self.alpha_current
        self.has_pushed_too_far = False
        self.is_congested = congested
        self.state = "recovery"
        self.begin_era(ALPHA_RECOVERY)

    def exit_recovery(self) -> None:
        """The push before is judged."""
        if self.follows_push:
            self.judge_push()
        self.rate_at_recovery = self.nominal_rate
        self.smoothed_loss_rate = 0.0
        self.ecn_alpha = 0.0
        has_high_jitter = self.running_min_rtt < self.nominal_max_rtt * 2 / 5
        restarts = has_high_jitter and not self.has_restarted
        if restarts or self.probe_level > LAST_LEVEL:
            self.has_restarted |= restarts
            self.enter_initial(self.nominal_rate * self.nominal_max_rtt)
        else:
            self.is_congested = False
            self.state = "cruising"
            self.cruising_eras_left = CRUISING_ERAS[self.probe_level]
            self.begin_era(ALPHA_CRUISING)

    def judge_push(self) -> None:
        """Successful is a push without congestion that raised the rate by enough."""
        if not self.is_congested and self.has_increased(self.rate_at_recovery, self.push_alpha):
            self.probe_level += 1
        elif self.has_pushed_too_far:
            self.probe_level = 0
        elif self.is_congested or not self.was_app_limited:
            self.probe_level = max(self.probe_level - 1, FIRST_LEVEL)

    def has_increased(self, since: float, alpha: float) -> bool:
        """Any increase after an alpha of 17/16 or less, otherwise a quarter of the expected one at least."""
        expected = alpha - 1.0 if alpha > 17 / 16 else 0.0
        return self.nominal_rate >= since * (1.0 + expected / 4) and self.nominal_rate > since

    # Congestion

    def sensitivity(self) -> float:
        """Variable Sensitivity: 0 at 50 kB/s, 0.92 at 1 MB/s, 1 at 10 MB/s."""
        rate = self.nominal_rate * self.packet_size
        if rate < 1e6:
            return max(rate - 50e3, 0.0) / 950e3 * 0.92
        return min(0.92 + (rate - 1e6) / 9e6 * 0.08, 1.0)

    def delay_threshold(self) -> float:
        """Detecting Excessive Delays."""
        fraction = 1 / 16 + (1 - self.sensitivity()) * 3 / 16
        return min(MAX_DELAY_THRESHOLD, fraction * self.nominal_max_rtt)

    def handle_rtt(self, rtt: float) -> None:
        """A round-trip time above the target is a signal."""
        self.era_max_rtt = max(self.era_max_rtt, rtt)
        self.era_min_rtt = min(self.era_min_rtt, rtt)
        if self.nominal_max_rtt == 0.0:
            self.nominal_max_rtt = rtt
            return
        threshold = self.delay_threshold()
        excess = rtt - (self.nominal_max_rtt + threshold)
        if excess > 0.0:
            self.congestion("delay", excess / threshold)

    def handle_losses(self, ack: Ack) -> None:
        """Detecting Excessive Losses: an average over packets."""
        if ack.lost > 0 and not self.has_timed_out:
            self.smoothed_loss_rate = 1.0 - (1.0 - self.smoothed_loss_rate) * (15 / 16) ** ack.lost
            if self.smoothed_loss_rate > 0.02 + 0.50 * (1 - self.sensitivity()):
                self.congestion("loss", MAX_BETA)
        self.smoothed_loss_rate *= (15 / 16) ** ack.delivered

    def handle_marks(self, ack: Ack) -> None:
        """Detecting Excessive CE Marks."""
        if ack.delivered <= 0 or not self.accurate_ecn:
            return
        frac = min(ack.ce_marked / ack.delivered, 1.0)
        if frac >= 0.5:
            self.ecn_alpha = frac
        else:
            self.ecn_alpha += (frac - self.ecn_alpha) / 16
        threshold = (2 - self.sensitivity()) * 3 / 32
        if self.ecn_alpha > threshold:
            self.congestion("ecn", (self.ecn_alpha - threshold) / threshold)

    def congestion(self, signal: str, beta: float) -> None:
        """Applying congestion signals: rates fall only in the cruising state."""
        if self.state == "recovery":
            self.is_congested = True
            self.has_pushed_too_far |= signal != "delay"
            return
        if self.state == "initial":
            received = self.delivered - self.initial_sequence
            is_over = received > 20 if signal == "loss" else self.nb_eras_no_increase >= 2
            if is_over and self.nominal_rate > 0:
                self.exit_initial(congested=True)
            return
        if self.state == "cruising":
            beta = min(MAX_BETA, beta)
            self.nominal_rate *= 1 - beta
            if signal == "loss":
                self.nominal_max_rtt *= 1 - beta
        self.enter_recovery(congested=True)
        self.has_pushed_too_far = signal != "delay"

    # Control

    def window(self) -> float:
        """Setting the congestion window, which in the initial state also grows by what is acknowledged."""
        rate = self.alpha_current * self.nominal_rate
        if self.state == "initial":
            return max(self.initial_cwnd, rate * self.nominal_max_rtt, MIN_CWND)
        margin = min(self.nominal_max_rtt / 4, MAX_MARGIN)
        return max(rate * (self.nominal_max_rtt + margin), MIN_CWND)

    def set_rate_and_window(self) -> None:
        """The initial rate is that of the outgoing interface."""
        self.cwnd = self.window()
        if self.nominal_rate > 0 and self.nominal_max_rtt > 0:
            self.pacing_rate = self.alpha_current * self.nominal_rate

    def on_congestion(self, event: Congestion) -> None:
        """Losses and marks are counted with the acknowledgments that tell them."""
        if event.signal == Signal.TIMEOUT:
            self.has_timed_out = True
        if event.restart:
            self.cwnd = min(self.cwnd, self.restart_window)

    def on_spurious(self) -> None:
        """Nothing was saved."""

    def on_idle_restart(self, restart_window: float) -> None:
        """The nominal rate stays; before there is one, the window is that of restart."""
        if self.delivered == 0:
            self.cwnd = self.initial_cwnd = min(self.cwnd, max(restart_window, 1.0))
