"""SCReAMv2: draft-ietf-ccwg-rfc8298bis-screamv2, the authors' text of 10 August 2026.

Data units are packets. Of what the draft calls optional only the compensation for competing flows is here;
REDUCE_JITTER is false, so that ref_wnd_delay_scale is 1. The draft says of itself that the order of execution
and some variables are poorly defined; it is read as follows:

- A report updates, in the order of the text: s_rtt, l4s_alpha, qdelay and qdelay_avg, the reduction, the
  increase, the target. Before the first round-trip time there is nothing of this but the flags.
- The increase happens with every report, by bytes newly acknowledged, as in the pseudo-code; the text above
  it says "once per RTT", which is the same in sum. `ref_wnd_t` is a whole number ("int"), cut off.
- bytes_newly_acked are the bytes of all packets of a report, lost ones too. The draft counts up to the
  highest number that has arrived, which a report passes over until it is known whether what is missing is
  lost.
- ref_wnd_ratio, min(1, MSS / ref_wnd), is of the window after the reduction in the increase, and of the
  window after the increase in the target; its initial value of 0 has no use.
- qdelay: the one-way delay of the highest packet of a report that has arrived, without a filter of its own (a
  "NULL filter"), since qdelay_avg is one. RFC 6817's base delay is of ten minutes, against clocks that drift;
  here it is the least of all packets of the call.
- "ref_wnd_i is updated before this code", says a comment above scl_t; the code updates it below. The code
  is followed: scl_t has the inflection point of the congestion before.
- loss_detected and data_units_marked stay set until the next reaction ("since
  last_reaction_to_congestion_time"), so that what is lost within a round trip of a reaction brings another
  one at its end.
- Times that are "0.0" at the beginning are the time of the first report, which is a choice: what happens does
  not depend on when the call begins.
- max_bytes_in_flight becomes max_bytes_in_flight_prev when s_rtt has passed since it last did so, after the
  report that shows this: its flights belong to the round trip that ends. The next begins with what is in
  flight then.
- An encoder asks for nothing before the first report but `initial_rate`, and target_bitrate begins with it.
- Competing flows: a sample of qdelay per report, with the statistics over those there are. loss_event_rate
  is the part of all round trips so far that had a loss.
"""

import math
from collections import deque
from dataclasses import dataclass

from reference.facts import nanoseconds
from reference.media.facts import MediaDecision, MediaFrame, MediaReport, MediaStart
from reference.registered import media

L4S_AVG_G_UP = 1 / 8
L4S_AVG_G_DOWN = 1 / 128
L4S_ALPHA_INTERVAL = 0.01
QDELAY_AVG_G = 1 / 4
RTT_G = 1 / 8
"""RFC 6298."""
RATE_PACE_MIN = 50e3
MAX_RELAXED_PACING_FACTOR = 4.0
RELAXED_PACING_LIMIT_LOW = 0.8
PACKET_OVERHEAD = 20
RATE_ADJUST_GAIN = 1 / 16
FRAME_SIZE_DEV_ALPHA = 1 / 64
REF_WND_DELAY_SCALE = 1.0
"""Without REDUCE_JITTER."""


def elapsed(now: float, since: float, least: float) -> bool:
    """Now is `least` seconds after `since`, or later."""
    return nanoseconds(now) - nanoseconds(since) >= nanoseconds(least)


@media("scream2")
@dataclass
class Scream2:
    """The sender. Parameters: times in milliseconds, windows in bytes."""

    start: MediaStart
    qdelay_target: float = 60.0
    """QDELAY_TARGET_LO."""
    qdelay_target_high: float = 400.0
    beta_loss: float = 0.7
    beta_ecn: float = 0.8
    min_ref_wnd: float = 3000.0
    headroom: float = 1.5
    post_congestion_delay: float = 100.0
    mul_increase: float = 0.02
    virtual_rtt: float = 25.0
    overhead_min: float = 1.5
    overhead: float = 3.0
    """REF_WND_OVERHEAD_MAX."""
    pacing_headroom: float = 1.5
    competing: float = 0.0

    def __post_init__(self) -> None:
        self.virtual_rtt_s = self.virtual_rtt / 1e3
        self.s_rtt = 0.0
        self.begun: float | None = None
        self.base_delay = math.inf
        self.qdelay = self.qdelay_avg = 0.0
        self.last_update_qdelay_avg_time = 0.0
        self.l4s_alpha = 0.0
        self.last_update_l4s_alpha_time = 0.0
        self.data_units_delivered_this_rtt = self.data_units_marked_this_rtt = 0
        self.ref_wnd = self.min_ref_wnd
        self.ref_wnd_i = 1.0
        self.ref_wnd_i_update_allowed = True
        self.qdelay_target_s = self.qdelay_target / 1e3
        self.last_congestion_detected_time = self.last_reaction_to_congestion_time = 0.0
        self.loss_detected = self.data_units_marked = False
        self.max_bytes_in_flight = self.max_bytes_in_flight_prev = 0.0
        self.last_round_trip_time = 0.0
        self.target_bitrate = self.clip(self.start.initial_rate)
        self.rate_adjust_factor = self.frame_size_dev = 0.0
        self.qdelay_norm_history: deque[float] = deque(maxlen=200)
        self.round_trips = self.round_trips_with_loss = 0
        self.lost_in_round_trip = False

    def clip(self, rate: float) -> float:
        """TARGET_BITRATE_MIN and TARGET_BITRATE_MAX."""
        return min(self.start.max_rate, max(self.start.min_rate, rate))

    @property
    def ref_wnd_ratio(self) -> float:
        """The smaller the window, the closer to 1."""
        return min(1.0, self.start.mss / self.ref_wnd)

    def on_report(self, report: MediaReport) -> MediaDecision:
        """All that feedback brings about."""
        if self.begun is None:
            self.begun = report.now
        now = report.now - self.begun
        delays = [p.arrived - p.sent for p in report.packets if p.arrived is not None]
        marked = [p.size for p in report.packets if p.marked]
        lost = len(delays) < len(report.packets)
        self.loss_detected |= lost
        self.data_units_marked |= bool(marked)
        if report.rtt is not None:
            self.s_rtt += (report.rtt - self.s_rtt) * (RTT_G if self.s_rtt else 1.0)
        if not self.s_rtt:
            return self.decision()
        self.lost_in_round_trip |= lost
        self.max_bytes_in_flight = max(self.max_bytes_in_flight, report.most_in_flight)
        self.update_l4s_alpha(now, len(delays), len(marked))
        if delays:
            self.base_delay = min(self.base_delay, *delays)
            self.qdelay = delays[-1] - self.base_delay
        self.update_qdelay_avg(now)
        if self.competing:
            self.adjust_qdelay_target()
        scl_t = max(0.1, min(1.0, ((self.ref_wnd - self.ref_wnd_i) / self.ref_wnd_i * 8) ** 2))
        self.reduce(now, scl_t)
        newly_acked = sum(packet.size for packet in report.packets)
        self.increase(now, scl_t, newly_acked - sum(marked))
        self.update_target()
        self.end_round_trip(now, report.in_flight)
        return self.decision()

    def end_round_trip(self, now: float, in_flight: float) -> None:
        """This largest flight becomes the one before, if a round trip has passed."""
        if elapsed(now, self.last_round_trip_time, self.s_rtt):
            self.last_round_trip_time = now
            self.max_bytes_in_flight_prev = self.max_bytes_in_flight
            self.max_bytes_in_flight = in_flight
            self.round_trips += 1
            self.round_trips_with_loss += self.lost_in_round_trip
            self.lost_in_round_trip = False

    # Congestion detection.

    def update_l4s_alpha(self, now: float, acked: int, acked_ce: int) -> None:
        """The section "Receiving ECN-CE for L4S"."""
        self.data_units_delivered_this_rtt += acked
        self.data_units_marked_this_rtt += acked_ce
        due = elapsed(now, self.last_update_l4s_alpha_time, min(L4S_ALPHA_INTERVAL, self.s_rtt))
        if not due or not self.data_units_delivered_this_rtt:
            return
        fraction_marked_t = self.data_units_marked_this_rtt / self.data_units_delivered_this_rtt
        if fraction_marked_t >= self.l4s_alpha:
            self.l4s_alpha = L4S_AVG_G_UP * fraction_marked_t + (1 - L4S_AVG_G_UP) * self.l4s_alpha
        else:
            self.l4s_alpha = (1 - L4S_AVG_G_DOWN) * self.l4s_alpha
        self.last_update_l4s_alpha_time = now
        self.data_units_delivered_this_rtt = self.data_units_marked_this_rtt = 0

    def update_qdelay_avg(self, now: float) -> None:
        """The section "Detecting Increased Queue Delay": slow attack, fast decay."""
        if not elapsed(now, self.last_update_qdelay_avg_time, min(self.virtual_rtt_s, self.s_rtt)):
            return
        if self.qdelay < self.qdelay_avg:
            self.qdelay_avg = self.qdelay
        else:
            self.qdelay_avg = QDELAY_AVG_G * self.qdelay + (1 - QDELAY_AVG_G) * self.qdelay_avg
        self.last_update_qdelay_avg_time = now

    # The reference window.

    def reduce(self, now: float, scl_t: float) -> None:
        """The section "Reference Window Reduction"."""
        is_loss_t = is_ce_t = is_virtual_ce_t = False
        l4s_alpha_v_t = 0.0
        if self.loss_detected or self.data_units_marked:
            self.last_congestion_detected_time = now
        last_reaction = self.last_reaction_to_congestion_time
        if elapsed(now, last_reaction, min(self.virtual_rtt_s, self.s_rtt)):
            half = self.qdelay_target_s / 2
            if self.loss_detected:
                is_loss_t = True
            elif self.data_units_marked:
                is_ce_t = True
            elif self.qdelay_avg > half:
                l4s_alpha_v_t = min(1.0, max(0.0, (self.qdelay_avg - half) / half))
                is_virtual_ce_t = True
        if not (is_loss_t or is_ce_t or is_virtual_ce_t):
            return
        if self.ref_wnd_i_update_allowed:
            self.ref_wnd_i = self.ref_wnd
            self.ref_wnd_i_update_allowed = False
        if is_loss_t:
            self.ref_wnd *= self.beta_loss
        if is_ce_t and self.start.l4s:
            self.reduce_by_l4s(now, scl_t)
        elif is_ce_t:
            self.ref_wnd *= self.beta_ecn
        if is_virtual_ce_t:
            backoff_t = l4s_alpha_v_t / 2 / max(1.0, self.s_rtt / self.virtual_rtt_s)
            self.ref_wnd *= 1.0 - backoff_t
        self.ref_wnd = max(self.min_ref_wnd, self.ref_wnd)
        self.last_reaction_to_congestion_time = now
        self.loss_detected = self.data_units_marked = False

    def reduce_by_l4s(self, now: float, scl_t: float) -> None:
        """The part of the reduction for L4S."""
        backoff_t = self.l4s_alpha / 2
        backoff_t /= max(1.0, self.s_rtt / self.virtual_rtt_s)
        if self.qdelay < self.qdelay_target_s * 0.25:
            backoff_t *= max(0.25, scl_t)
            backoff_t *= max(0.25, REF_WND_DELAY_SCALE)
        long_ago = 100 * max(self.virtual_rtt_s, self.s_rtt)
        if now - self.last_reaction_to_congestion_time > long_ago:
            self.ref_wnd = min(self.ref_wnd, self.max_bytes_in_flight_prev)
        self.ref_wnd *= 1.0 - backoff_t

    def increase(self, now: float, scl_t: float, bytes_newly_acked_minus_ce_t: float) -> None:
        """The section "Reference Window Increase"."""
        mss = self.start.mss
        delay = self.post_congestion_delay * max(self.virtual_rtt_s, self.s_rtt)
        post_congestion_scale_t = max(0.0, min(1.0, (now - self.last_congestion_detected_time) / delay))
        ref_wnd_scale_factor_t = 1.0 + self.mul_increase * self.ref_wnd / mss
        increment_t = bytes_newly_acked_minus_ce_t * self.ref_wnd_ratio
        increment_t *= min(1.0, self.s_rtt / self.virtual_rtt_s)
        increment_t *= max(0.25, scl_t)
        increment_t *= max(0.1, REF_WND_DELAY_SCALE)
        tmp_t = ref_wnd_scale_factor_t
        if tmp_t > 1.0:
            tmp_t = 1.0 + (tmp_t - 1.0) * post_congestion_scale_t * scl_t
        increment_t *= tmp_t
        ref_wnd_prev = self.ref_wnd
        max_allowed_t = mss + max(self.max_bytes_in_flight, self.max_bytes_in_flight_prev) * self.headroom
        ref_wnd_t = int(self.ref_wnd + increment_t)
        if ref_wnd_t <= max_allowed_t and self.target_bitrate < self.start.max_rate:
            self.ref_wnd = ref_wnd_t
        if self.ref_wnd > ref_wnd_prev:
            self.ref_wnd_i_update_allowed = True

    # Media rate control.

    def on_frame(self, frame: MediaFrame) -> MediaDecision:
        """The factors that count "for each new media frame"."""
        period = self.start.frame_period
        error = (frame.queued - period / 4) / period
        self.rate_adjust_factor = min(0.5, max(0.0, self.rate_adjust_factor + error * RATE_ADJUST_GAIN))
        frame_size_nom = self.target_bitrate * period / 8
        deviation = max(0.0, (frame.size - frame_size_nom) / frame_size_nom)
        alpha = FRAME_SIZE_DEV_ALPHA
        self.frame_size_dev = min(0.2, (1 - alpha) * self.frame_size_dev + alpha * deviation)
        return self.decision()

    def update_target(self) -> None:
        """The rate that the window allows, somewhat less."""
        mss = self.start.mss
        tmp_t = 1.0
        tmp_t *= 1.0 - min(0.2, max(0.0, self.ref_wnd_ratio - 0.1))
        tmp_t *= mss / (mss + PACKET_OVERHEAD)
        tmp_t /= 1.2 + self.rate_adjust_factor + self.frame_size_dev
        self.target_bitrate = self.clip(tmp_t * 8 * self.ref_wnd / self.s_rtt)

    # Sender transmission control.

    def decision(self) -> MediaDecision:
        """The sections "Send Window Calculation" and "Packet Pacing"."""
        overhead = self.overhead_min + (self.overhead - self.overhead_min) * REF_WND_DELAY_SCALE
        pace_bitrate = max(RATE_PACE_MIN, self.target_bitrate) * self.pacing_headroom
        nominal_rate_t = self.target_bitrate / self.start.max_rate
        low = RELAXED_PACING_LIMIT_LOW
        pace_rate_scale_t = min(1.0, (nominal_rate_t - low) / (1.0 - low))
        pace_rate_scale_t = min(1.0, max(1.0 / MAX_RELAXED_PACING_FACTOR, 1.0 - pace_rate_scale_t))
        return MediaDecision(
            target=self.target_bitrate,
            pacing=pace_bitrate / pace_rate_scale_t,
            window=self.ref_wnd * overhead,
        )

    # Competing flows compensation.

    def adjust_qdelay_target(self) -> None:
        """The section "Competing Flows Compensation"."""
        low, high = self.qdelay_target / 1e3, self.qdelay_target_high / 1e3
        self.qdelay_norm_history.append(self.qdelay / low)
        history = list(self.qdelay_norm_history)
        mean = sum(history) / len(history)
        qdelay_norm_var_t = sum((sample - mean) ** 2 for sample in history) / len(history)
        latest = history[-50:]
        qdelay_norm_avg_t = sum(latest) / len(latest)
        new_target_t = (qdelay_norm_avg_t + math.sqrt(qdelay_norm_var_t)) * low
        loss_event_rate = self.round_trips_with_loss / max(self.round_trips, 1)
        if loss_event_rate > 0.002:
            self.qdelay_target_s = 1.5 * new_target_t
        elif qdelay_norm_var_t < 0.2:
            self.qdelay_target_s = new_target_t
        elif new_target_t < low:
            self.qdelay_target_s = max(self.qdelay_target_s * 0.5, new_target_t)
        else:
            self.qdelay_target_s *= 0.9
        self.qdelay_target_s = max(low, min(high, self.qdelay_target_s))
