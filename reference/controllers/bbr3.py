"""BBR, version 3: draft-ietf-ccwg-bbr-06 (July 2026), whose names are used here, in its order.

Long because the draft describes one machine, and the two are read together.

Left open there or left to chance, and chosen here:

- the waits between probes, 2 to 3 s and 62 or 63 rounds, follow the golden-ratio sequence and alternate;
- marks have no specified response, but "MUST" count as congestion: a mark is a loss in its round, ends
  Startup, and ends a bandwidth probe as too high;
- losses are judged once per acknowledgment, by the packet sent last of those lost, and ranges lost in
  Startup are counted as acknowledgments that found losses;
- C.is_cwnd_limited: before an acknowledgment of this round or of the last, no whole packet fitted into the
  window;
- C.inflight reaches BBR.inflight_longterm when no whole packet more would fit it, before the acknowledgment;
- the window saved on entering ProbeRTT is the one in force, and the send quantum is one packet;
- a probe that ProbeRTT cuts off ends no cycle of the filter, and each round with losses saves the state anew:
  so is the pseudocode, and filter_after_probe_rtt and save_once are the prose of 5.5.6 and 5.5.11.1 instead.

Times are compared in whole nanoseconds, so that rounding does not decide whether a time is past.
"""

import math

from reference.controllers.bbr1 import WindowedMax
from reference.facts import Ack, Congestion, RateSample, Signal, Start, nanoseconds
from reference.registered import controller

MIN_PIPE_CWND = 4.0
STATES = ("Startup", "Drain", "DOWN", "CRUISE", "REFILL", "UP", "ProbeRTT")
PROBE_BW = {"DOWN", "CRUISE", "REFILL", "UP"}
PACING_GAIN = {"DOWN": 0.9, "CRUISE": 1.0, "REFILL": 1.0, "UP": 1.25, "ProbeRTT": 1.0}
GOLDEN_RATIO = 0.6180339887498949
NOTHING = RateSample(rate=0.0)


@controller("bbr3")
class Bbr3:
    """UpdateOnACK and the functions that it calls."""

    state: str
    bw_shortterm: float
    inflight_shortterm: float
    is_loss_in_round: bool

    def __init__(  # noqa: PLR0913 - the parameters of the specification, by their names
        self,
        startup_gain: float = 2.77,
        drain_gain: float = 0.5,
        cwnd_gain: float = 2.0,
        loss_threshold: float = 0.02,
        beta: float = 0.7,
        headroom: float = 0.15,
        probe_rtt_window: float = 5.0,
        min_rtt_window: float = 10.0,
        probe_rtt_duration: float = 0.2,
        probe_rtt_gain: float = 0.5,
        pacing_margin: float = 0.01,
        quantum: float = 1.0,
        wait_phase: float = 0.0,
        filter_after_probe_rtt: float = 0.0,
        save_once: float = 0.0,
    ) -> None:
        self.startup_pacing_gain, self.drain_pacing_gain = startup_gain, drain_gain
        self.default_cwnd_gain, self.probe_rtt_cwnd_gain = cwnd_gain, probe_rtt_gain
        self.loss_thresh, self.beta, self.headroom = loss_threshold, beta, headroom
        self.probe_rtt_interval = nanoseconds(probe_rtt_window)
        self.min_rtt_filter_len = nanoseconds(min_rtt_window)
        self.probe_rtt_duration = nanoseconds(probe_rtt_duration)
        self.pacing_margin, self.send_quantum, self.wait_phase = pacing_margin, quantum, wait_phase
        self.filter_after_probe_rtt, self.save_once = filter_after_probe_rtt > 0, save_once > 0

    def begin(self, start: Start) -> None:
        """5.2.1, OnInit."""
        self.now = 0
        self.initial_cwnd = start.initial_window
        self.restart_window = start.restart_window
        self.cwnd = start.initial_window
        self.delivered = 0.0
        self.next_round_delivered = 0.0
        self.round_count = 0
        self.round_start = False
        self.cycle_count = 0
        self.max_bw_filter = WindowedMax()
        self.max_bw = 0.0
        self.bw = 0.0
        self.inflight_longterm = math.inf
        self.reset_short_term_model()
        self.extra_acked_filter = WindowedMax()
        self.extra_acked = self.extra_acked_delivered = 0.0
        self.extra_acked_interval_start = 0
        self.min_rtt: float = math.inf
        self.min_rtt_stamp = 0
        self.probe_rtt_min_delay: float = math.inf
        self.probe_rtt_min_stamp = 0
        self.probe_rtt_expired = False
        self.probe_rtt_done_stamp: int | None = None
        self.probe_rtt_round_done = False
        self.app_limited_from = math.inf
        self.app_limited_until = 0.0
        self.full_bw_reached = False
        self.reset_full_bw()
        self.drain_start_round = 0
        self.ack_phase = "INIT"
        self.is_bw_probe_sample = False
        self.probe_up_acked_per_inc = math.inf
        self.bw_probe_up_acked, self.bw_probe_up_rounds = 0.0, 0
        self.rounds_since_probe_up = 0
        self.bw_probe_wait = self.waits_picked = 0
        self.cycle_stamp = 0
        self.prev_probe_too_high = self.prev_probe_precautionary = False
        self.full_windows = [False, False]
        self.loss_round_start = False
        self.loss_round_delivered = 0.0
        self.reset_congestion_signals()
        self.loss_events_in_round = 0
        self.mark_seen = False
        self.in_recovery = False
        self.prior_cwnd = 0.0
        self.idle_restart = False
        self.undo_state: str | None = None
        self.undo_bw_shortterm = self.undo_inflight_shortterm = self.undo_inflight_longterm = 0.0
        self.has_seen_rtt = False
        self.state = "Startup"
        self.pacing_rate = self.startup_pacing_gain * start.initial_window / 1e-3

    def on_ack(self, ack: Ack) -> None:
        """5.2.4, then 5.2.3."""
        self.now = nanoseconds(ack.now)
        self.delivered += ack.delivered
        self.ack = ack
        self.has_sample = ack.rate is not None
        self.rs = ack.rate if ack.rate is not None else NOTHING
        marked = self.app_limited_from <= self.rs.prior_delivered <= self.app_limited_until
        self.is_app_limited = self.rs.app_limited or marked
        self.prior_inflight = ack.in_flight + ack.delivered + ack.lost
        if self.prior_inflight + 1 > self.cwnd:
            self.full_windows[0] = True
        self.handle_lost_packet()
        self.handle_mark()
        self.update_latest_delivery_signals()
        self.update_congestion_signals()
        self.update_ack_aggregation()
        self.check_full_bw_reached()
        self.check_startup_done()
        self.check_drain_done()
        self.update_probe_bw_cycle_phase()
        self.update_min_rtt()
        self.check_probe_rtt()
        if self.loss_round_start:
            self.bw_latest = self.rs.rate
            self.inflight_latest = self.rs.delivered
        self.bw = min(self.max_bw, self.bw_shortterm)
        if self.in_recovery and not ack.recovering:
            self.restore_cwnd()
        self.in_recovery = ack.recovering
        self.set_pacing_rate()
        self.set_cwnd()

    # 5.5.10, congestion

    def handle_lost_packet(self) -> None:
        """HandleLostPacket(P), InflightAtLoss(P) with P.size = 1."""
        loss = self.ack.loss
        if loss is None:
            return
        self.note_loss()
        if self.is_bw_probe_sample and self.is_inflight_too_high(loss.lost, loss.tx_in_flight):
            inflight_prev = loss.tx_in_flight - 1
            lost_prev = loss.lost - 1
            lost_prefix = (self.loss_thresh * inflight_prev - lost_prev) / (1 - self.loss_thresh)
            self.handle_inflight_too_high(inflight_prev + lost_prefix, loss.app_limited)

    def handle_mark(self) -> None:
        """3.7: "MUST treat any CE marks as congestion"."""
        if not self.mark_seen:
            return
        self.mark_seen = False
        self.note_loss()
        if self.is_bw_probe_sample:
            self.handle_inflight_too_high(self.rs.tx_in_flight, self.is_app_limited)
        if self.state == "Startup" and not self.full_bw_reached:
            self.leave_startup_for_congestion()

    def note_loss(self) -> None:
        """The first loss of a round is remembered with the state before it."""
        if not self.is_loss_in_round:
            self.loss_round_delivered = self.delivered
            if not self.save_once:
                self.save_state_upon_loss()
        self.is_loss_in_round = True

    def is_inflight_too_high(self, lost: float, tx_in_flight: float) -> bool:
        """True if more than 2 % of the packets in flight were lost."""
        return lost > tx_in_flight * self.loss_thresh

    def handle_inflight_too_high(self, tx_in_flight: float, app_limited: bool) -> None:
        """Only once per probe."""
        self.prev_probe_too_high = True
        self.is_bw_probe_sample = False
        if not app_limited:
            self.inflight_longterm = max(tx_in_flight, self.target_inflight() * self.beta)
        if self.state == "UP":
            self.undo_state = "UP"
            self.start_down()

    def update_latest_delivery_signals(self) -> None:
        """One-round maxima of the delivery rate and of the delivered packets."""
        self.loss_round_start = False
        self.bw_latest = max(self.bw_latest, self.rs.rate)
        self.inflight_latest = max(self.inflight_latest, self.rs.delivered)
        if self.has_sample and self.rs.prior_delivered >= self.loss_round_delivered:
            self.loss_round_delivered = self.delivered
            self.loss_round_start = True

    def reset_congestion_signals(self) -> None:
        """ResetCongestionSignals."""
        self.is_loss_in_round = False
        self.bw_latest = 0.0
        self.inflight_latest = 0.0

    def update_congestion_signals(self) -> None:
        """At the end of a round with losses outside of probes the short-term bounds go down."""
        self.update_max_bw()
        if not self.loss_round_start:
            return
        if self.state not in {"Startup", "REFILL", "UP"} and self.is_loss_in_round:
            if self.bw_shortterm == math.inf:
                self.bw_shortterm = self.max_bw
            if self.inflight_shortterm == math.inf:
                self.inflight_shortterm = self.cwnd
            self.bw_shortterm = max(self.bw_latest, self.beta * self.bw_shortterm)
            self.inflight_shortterm = max(self.inflight_latest, self.beta * self.inflight_shortterm)
        self.is_loss_in_round = False

    def reset_short_term_model(self) -> None:
        """ResetShortTermModel."""
        self.bw_shortterm = math.inf
        self.inflight_shortterm = math.inf

    # 5.5.1 to 5.5.9, the path

    def update_max_bw(self) -> None:
        """UpdateRound; two cycles of the max filter."""
        self.round_start = False
        if self.has_sample and self.rs.prior_delivered >= self.next_round_delivered:
            self.start_round()
            self.round_count += 1
            self.rounds_since_probe_up += 1
            self.round_start = True
            self.full_windows = [False, self.full_windows[0]]
        if self.rs.rate > 0 and (self.rs.rate >= self.max_bw or not self.is_app_limited):
            self.max_bw = self.max_bw_filter.update(1, self.cycle_count, self.rs.rate)

    def start_round(self) -> None:
        """StartRound."""
        self.next_round_delivered = self.delivered

    def is_cwnd_limited(self) -> bool:
        """C.is_cwnd_limited."""
        return any(self.full_windows)

    def update_ack_aggregation(self) -> None:
        """Data acknowledged beyond what the bandwidth explains."""
        interval = (self.now - self.extra_acked_interval_start) / 1e9
        expected_delivered = self.bw * interval
        if self.extra_acked_delivered <= expected_delivered:
            self.extra_acked_delivered = 0.0
            self.extra_acked_interval_start = self.now
            expected_delivered = 0.0
        self.extra_acked_delivered += self.ack.delivered
        extra = min(self.extra_acked_delivered - expected_delivered, self.cwnd)
        filter_len = 10 if self.full_bw_reached else 1
        self.extra_acked = self.extra_acked_filter.update(filter_len - 1, self.round_count, extra)

    def bdp_multiple(self, bw: float, gain: float) -> float:
        """BDPMultiple."""
        if self.min_rtt == math.inf:
            return self.initial_cwnd
        return gain * (bw * (self.min_rtt / 1e9))

    def quantization_budget(self, inflight_cap: float) -> float:
        """QuantizationBudget."""
        inflight_cap = max(inflight_cap, 3 * self.send_quantum, MIN_PIPE_CWND)
        return inflight_cap + 2 if self.state == "UP" else inflight_cap

    def inflight(self, bw: float) -> float:
        """Inflight(1.0)."""
        return self.quantization_budget(self.bdp_multiple(bw, 1.0))

    def target_inflight(self) -> float:
        """TargetInflight."""
        return min(self.bdp_multiple(self.bw, 1.0), self.cwnd)

    # 5.3.1 and 5.3.2, Startup and Drain

    def reset_full_bw(self, full_bw: float = 0.0) -> None:
        """ResetFullBW."""
        self.full_bw = full_bw
        self.full_bw_count = 0
        self.full_bw_now = False

    def check_full_bw_reached(self) -> None:
        """Three rounds without growth by 25 %."""
        if self.full_bw_now or not self.round_start or self.is_app_limited:
            return
        if self.rs.rate >= self.full_bw * 1.25:
            self.reset_full_bw(self.rs.rate)
            return
        self.full_bw_count += 1
        self.full_bw_now = self.full_bw_count >= 3
        if self.full_bw_now:
            self.full_bw_reached = True

    def check_startup_done(self) -> None:
        """CheckStartupHighLoss: in recovery, six ranges lost, more than 2 % lost."""
        if not self.full_bw_reached:
            if self.ack.lost > 0:
                self.loss_events_in_round += 1
            if (
                self.loss_round_start
                and self.in_recovery
                and self.loss_events_in_round >= 6
                and self.is_inflight_too_high(self.rs.lost, self.rs.tx_in_flight)
                and self.state == "Startup"
            ):
                self.leave_startup_for_congestion()
            if self.loss_round_start:
                self.loss_events_in_round = 0
        if self.state == "Startup" and self.full_bw_reached:
            self.state = "Drain"
            self.drain_start_round = self.round_count

    def leave_startup_for_congestion(self) -> None:
        """5.3.1.3: "it sets BBR.inflight_longterm to [..] max(BBR.bdp, BBR.inflight_latest)"."""
        self.undo_state = "Startup"
        self.full_bw_reached = True
        self.inflight_longterm = max(self.bdp_multiple(self.bw, 1.0), self.inflight_latest)

    def check_drain_done(self) -> None:
        """The queue is gone, or three rounds are over."""
        overdue = self.round_count > self.drain_start_round + 3
        if self.state == "Drain" and (self.ack.in_flight <= self.inflight(self.bw) or overdue):
            self.start_down()

    # 5.3.3, ProbeBW

    def start_down(self) -> None:
        """StartProbeBW_DOWN, PickProbeWait."""
        self.reset_congestion_signals()
        self.probe_up_acked_per_inc = math.inf
        self.rounds_since_probe_up = self.waits_picked % 2
        wait = 2.0 + (self.wait_phase + self.waits_picked * GOLDEN_RATIO) % 1.0
        self.bw_probe_wait = nanoseconds(wait)
        self.waits_picked += 1
        self.cycle_stamp = self.now
        self.ack_phase = "PROBE_STOPPING"
        self.start_round()
        self.state = "DOWN"

    def start_refill(self) -> None:
        """StartProbeBW_REFILL."""
        self.reset_short_term_model()
        self.bw_probe_up_rounds = 0
        self.bw_probe_up_acked = 0.0
        self.prev_probe_precautionary = False
        self.ack_phase = "REFILLING"
        self.start_round()
        self.state = "REFILL"

    def start_up(self) -> None:
        """StartProbeBW_UP."""
        self.ack_phase = "PROBE_STARTING"
        self.start_round()
        self.reset_full_bw(self.rs.rate)
        self.state = "UP"
        self.raise_inflight_longterm_slope()

    def update_probe_bw_cycle_phase(self) -> None:
        """The core state machine, on acknowledgments of new data."""
        if self.ack.delivered == 0 or not self.full_bw_reached or self.adapt_long_term_model():
            return
        if self.state in {"DOWN", "CRUISE"} and self.is_time_to_probe_bw():
            self.start_refill()
        elif self.state == "DOWN" and self.is_time_to_cruise():
            self.state = "CRUISE"
        elif self.state == "REFILL" and self.round_start:
            self.is_bw_probe_sample = True
            self.start_up()
        elif self.state == "UP" and self.is_time_to_go_down():
            self.prev_probe_too_high = False
            self.start_down()

    def is_time_to_probe_bw(self) -> bool:
        """HasElapsedInPhase, IsRenoCoexistenceProbeTime."""
        if self.now > self.cycle_stamp + self.bw_probe_wait:
            return True
        return self.rounds_since_probe_up >= min(self.target_inflight(), 63)

    def is_time_to_cruise(self) -> bool:
        """Headroom, and no queue."""
        if self.ack.in_flight > self.inflight_with_headroom():
            return False
        return self.ack.in_flight <= self.inflight(self.max_bw)

    def is_time_to_go_down(self) -> bool:
        """IsTimeToGoDown."""
        if self.prev_probe_too_high and (
            self.inflight_longterm != math.inf and self.prior_inflight >= math.floor(self.inflight_longterm)
        ):
            self.prev_probe_precautionary = True
            return True
        if self.is_cwnd_limited() and self.cwnd >= self.inflight_longterm:
            self.reset_full_bw(self.rs.rate)
            return False
        return self.full_bw_now

    def inflight_with_headroom(self) -> float:
        """InflightWithHeadroom."""
        if self.inflight_longterm == math.inf:
            return math.inf
        headroom = max(1.0, self.headroom * self.inflight_longterm)
        return max(self.inflight_longterm - headroom, MIN_PIPE_CWND)

    def raise_inflight_longterm_slope(self) -> None:
        """RaiseInflightLongtermSlope."""
        growth_this_round = 1 << self.bw_probe_up_rounds
        self.bw_probe_up_rounds = min(self.bw_probe_up_rounds + 1, 30)
        self.probe_up_acked_per_inc = max(self.cwnd / growth_this_round, 1.0)

    def probe_inflight_longterm_upward(self) -> None:
        """ProbeInflightLongtermUpward."""
        if not self.is_cwnd_limited() or self.cwnd < self.inflight_longterm:
            return
        self.bw_probe_up_acked += self.ack.delivered
        if self.bw_probe_up_acked >= self.probe_up_acked_per_inc:
            delta = math.floor(self.bw_probe_up_acked / self.probe_up_acked_per_inc)
            self.bw_probe_up_acked -= delta * self.probe_up_acked_per_inc
            self.inflight_longterm += delta
        if self.round_start:
            self.raise_inflight_longterm_slope()

    def adapt_long_term_model(self) -> bool:
        """AdaptLongTermModel."""
        if self.ack_phase == "PROBE_STARTING" and self.round_start:
            self.ack_phase = "PROBE_FEEDBACK"
        if self.ack_phase == "PROBE_STOPPING" and self.round_start:
            self.is_bw_probe_sample = False
            self.ack_phase = "INIT"
            if self.state in PROBE_BW and not self.is_app_limited:
                self.cycle_count += 1
            if self.state in PROBE_BW and self.prev_probe_precautionary and not self.prev_probe_too_high:
                self.start_refill()
                return True
        if not self.is_inflight_too_high(self.rs.lost, self.rs.tx_in_flight):
            if self.inflight_longterm == math.inf:
                return False
            self.inflight_longterm = max(self.inflight_longterm, self.rs.tx_in_flight)
            if self.state == "UP":
                self.probe_inflight_longterm_upward()
        return False

    # 5.3.4, ProbeRTT

    def update_min_rtt(self) -> None:
        """UpdateMinRTT. BBROnInit stamps when the connection begins: nothing is old before a sample."""
        is_stamped = self.probe_rtt_min_delay != math.inf
        self.probe_rtt_expired = is_stamped and self.now > self.probe_rtt_min_stamp + self.probe_rtt_interval
        if self.ack.rtt is not None:
            rtt = nanoseconds(self.ack.rtt)
            if rtt < self.probe_rtt_min_delay or self.probe_rtt_expired:
                self.probe_rtt_min_delay = rtt
                self.probe_rtt_min_stamp = self.now
        min_rtt_expired = self.now > self.min_rtt_stamp + self.min_rtt_filter_len
        if self.probe_rtt_min_delay < self.min_rtt or (
            min_rtt_expired and self.probe_rtt_min_delay != math.inf
        ):
            self.min_rtt = self.probe_rtt_min_delay
            self.min_rtt_stamp = self.probe_rtt_min_stamp

    def check_probe_rtt(self) -> None:
        """CheckProbeRTT."""
        if self.state != "ProbeRTT" and self.probe_rtt_expired and not self.idle_restart:
            self.save_cwnd()
            self.state = "ProbeRTT"
            self.probe_rtt_done_stamp = None
            if self.filter_after_probe_rtt and self.ack_phase != "INIT":
                self.cycle_count += 1
            self.ack_phase = "PROBE_STOPPING"
            self.app_limited_from = self.delivered
            self.start_round()
        if self.state == "ProbeRTT":
            self.handle_probe_rtt()
        if self.rs.delivered > 0:
            self.idle_restart = False

    def handle_probe_rtt(self) -> None:
        """HandleProbeRTT, CheckProbeRTTDone."""
        self.app_limited_until = max(self.delivered + self.ack.in_flight, 1.0)
        if self.probe_rtt_done_stamp is None:
            if self.ack.in_flight <= self.probe_rtt_cwnd():
                self.probe_rtt_done_stamp = self.now + self.probe_rtt_duration
                self.probe_rtt_round_done = False
                self.start_round()
            return
        if self.round_start:
            self.probe_rtt_round_done = True
        if self.probe_rtt_round_done and self.now > self.probe_rtt_done_stamp:
            self.probe_rtt_min_stamp = self.now
            self.restore_cwnd()
            self.reset_short_term_model()
            if self.full_bw_reached:
                self.start_down()
                self.state = "CRUISE"
            else:
                self.state = "Startup"

    def probe_rtt_cwnd(self) -> float:
        """ProbeRTTCwnd."""
        return max(self.bdp_multiple(self.bw, self.probe_rtt_cwnd_gain), MIN_PIPE_CWND)

    # 5.6, control

    def pacing_gain(self) -> float:
        """BBR.pacing_gain."""
        gain = {"Startup": self.startup_pacing_gain, "Drain": self.drain_pacing_gain, **PACING_GAIN}
        return gain[self.state]

    def cwnd_gain(self) -> float:
        """BBR.cwnd_gain."""
        return {"UP": 2.25, "ProbeRTT": self.probe_rtt_cwnd_gain}.get(self.state, self.default_cwnd_gain)

    def set_pacing_rate(self) -> None:
        """InitPacingRate at the first round-trip time; SetPacingRate."""
        if self.ack.srtt > 0 and not self.has_seen_rtt:
            self.has_seen_rtt = True
            self.pacing_rate = self.startup_pacing_gain * (self.initial_cwnd / self.ack.srtt)
        self.set_pacing_rate_with_gain(self.pacing_gain())

    def set_pacing_rate_with_gain(self, pacing_gain: float) -> None:
        """SetPacingRateWithGain; a rate of zero is none."""
        rate = pacing_gain * self.bw * (1 - self.pacing_margin)
        if rate > 0 and (self.full_bw_reached or rate > self.pacing_rate):
            self.pacing_rate = rate

    def set_cwnd(self) -> None:
        """SetCwnd, BoundCwndForProbeRTT, BoundCwndForModel."""
        inflight_cap = self.bdp_multiple(self.bw, self.cwnd_gain()) + self.extra_acked
        max_inflight = self.quantization_budget(inflight_cap)
        if self.full_bw_reached:
            self.cwnd = min(self.cwnd + self.ack.delivered, max_inflight)
        elif self.cwnd < max_inflight or self.delivered < self.initial_cwnd:
            self.cwnd = self.cwnd + self.ack.delivered
        self.cwnd = max(self.cwnd, MIN_PIPE_CWND)
        if self.state == "ProbeRTT":
            self.cwnd = min(self.cwnd, self.probe_rtt_cwnd())
        cap = math.inf
        if self.state in PROBE_BW and self.state != "CRUISE":
            cap = self.inflight_longterm
        elif self.state in {"ProbeRTT", "CRUISE"}:
            cap = self.inflight_with_headroom()
        cap = max(min(cap, self.inflight_shortterm), MIN_PIPE_CWND)
        self.cwnd = min(self.cwnd, cap)

    def save_cwnd(self) -> None:
        """SaveCwnd."""
        if not self.in_recovery and self.state != "ProbeRTT":
            self.prior_cwnd = self.cwnd
        else:
            self.prior_cwnd = max(self.prior_cwnd, self.cwnd)

    def restore_cwnd(self) -> None:
        """RestoreCwnd."""
        self.cwnd = max(self.cwnd, self.prior_cwnd)

    # Events besides acknowledgments

    def on_congestion(self, event: Congestion) -> None:
        """OnEnterFastRecovery, OnEnterRTO; a mark waits for the acknowledgment that brought it."""
        if event.signal == Signal.ECN:
            self.mark_seen = True
            return
        self.save_cwnd()
        self.save_state_upon_loss()
        if event.restart:
            self.cwnd = self.restart_window
            self.in_recovery = True

    def save_state_upon_loss(self) -> None:
        """SaveStateUponLoss."""
        self.undo_state = None
        self.undo_bw_shortterm = self.bw_shortterm
        self.undo_inflight_shortterm = self.inflight_shortterm
        self.undo_inflight_longterm = self.inflight_longterm

    def on_spurious(self) -> None:
        """HandleSpuriousLossDetection."""
        self.in_recovery = False
        self.restore_cwnd()
        self.is_loss_in_round = False
        self.reset_full_bw()
        self.bw_shortterm = max(self.bw_shortterm, self.undo_bw_shortterm)
        self.inflight_shortterm = max(self.inflight_shortterm, self.undo_inflight_shortterm)
        self.inflight_longterm = max(self.inflight_longterm, self.undo_inflight_longterm)
        if self.undo_state == "Startup" and self.state != "Startup":
            self.full_bw_reached = False
            if self.state != "ProbeRTT":
                self.state = "Startup"
        elif self.undo_state == "UP" and self.state not in {"UP", "ProbeRTT"}:
            self.start_refill()
        self.undo_state = None

    def on_idle_restart(self, restart_window: float) -> None:
        """HandleRestartFromIdle; at a late beginning the window is at most this restart window."""
        self.idle_restart = True
        if self.delivered == 0:
            self.initial_cwnd = min(self.initial_cwnd, max(restart_window, 1.0))
            self.cwnd = min(self.cwnd, self.initial_cwnd)
            return
        self.extra_acked_delivered = 0.0
        if self.state in PROBE_BW:
            self.set_pacing_rate_with_gain(1.0)

    def observe(self) -> dict[str, float]:
        """The draft's variables, by the names under which cases of conformance read them."""
        return {
            "bbr3_state": STATES.index(self.state),
            "bbr3_bandwidth_packet_per_s": self.bw,
            "bbr3_max_bandwidth_packet_per_s": self.max_bw,
            "bbr3_bandwidth_shortterm_packet_per_s": self.bw_shortterm,
            "bbr3_min_rtt_s": math.nan if self.min_rtt == math.inf else self.min_rtt / 1e9,
            "bbr3_inflight_longterm_packets": self.inflight_longterm,
            "bbr3_inflight_shortterm_packets": self.inflight_shortterm,
            "bbr3_extra_acked_packets": self.extra_acked,
            "bbr3_pacing_gain": self.pacing_gain(),
            "bbr3_cwnd_gain": self.cwnd_gain(),
            "bbr3_round": self.round_count,
            "bbr3_full_bandwidth_rounds": self.full_bw_count,
        }
