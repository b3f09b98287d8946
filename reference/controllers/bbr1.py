"""BBR, version 1.

N. Cardwell, Y. Cheng, C. S. Gunn, S. Hassas Yeganeh and V. Jacobson, "BBR: Congestion-Based Congestion
Control", ACM Queue 14(5), 2016, and the pseudo-code of draft-cardwell-iccrg-bbr-congestion-control-00, whose
names are used here.

Left open there, and chosen here:

- the phase of the gain cycle that ProbeBW begins with is random, any but the draining one: it is a parameter;
- the send quantum depends on the host: it is one packet, as a sender paces packet by packet here;
- whether a sender is idle: its transport decides;
- the first pacing rate is set once more when the first round-trip time is known.

Times are compared in whole nanoseconds, so that rounding does not decide whether a time is past.
"""

import math

from reference.facts import Ack, Congestion, RateSample, Signal, Start, nanoseconds
from reference.registered import controller

BBR_MIN_PIPE_CWND = 4.0
GAIN_CYCLE = [5 / 4, 3 / 4, 1, 1, 1, 1, 1, 1]


class WindowedMax:
    """The largest value of the last rounds."""

    def __init__(self) -> None:
        self.samples: list[tuple[int, float]] = []

    def update(self, window: int, now: int, value: float) -> float:
        """Takes a value; returns the largest of the values that are at most ``window`` old."""
        # A value that a later one equals or exceeds is never the largest again.
        self.samples = [(then, kept) for then, kept in self.samples if now - then <= window and kept > value]
        self.samples.append((now, value))
        return self.samples[0][1]


@controller("bbr1")
class Bbr1:
    """BBRUpdateOnACK and the functions that it calls."""

    state: str

    def __init__(
        self,
        startup_gain: float = 2.885,
        cwnd_gain: float = 2.0,
        bw_window: float = 10.0,
        probe_rtt_window: float = 10.0,
        probe_rtt_duration: float = 0.2,
        phase: float = 2.0,
        quantum: float = 1.0,
    ) -> None:
        self.high_gain = startup_gain
        self.probe_bw_cwnd_gain = cwnd_gain
        self.btl_bw_filter_len = int(bw_window)
        self.rt_prop_filter_len = nanoseconds(probe_rtt_window)
        self.probe_rtt_duration = nanoseconds(probe_rtt_duration)
        self.first_phase = int(phase)
        self.send_quantum = quantum

    def begin(self, start: Start) -> None:
        """BBRInit."""
        self.initial_window = start.initial_window
        self.restart_window = start.restart_window
        self.cwnd = start.initial_window
        self.filter = WindowedMax()
        self.btl_bw = 0.0
        self.rt_prop = math.inf
        self.rt_prop_stamp = 0
        self.rt_prop_expired = False
        self.probe_rtt_done_stamp: int | None = None
        self.probe_rtt_round_done = False
        self.packet_conservation = False
        self.conservation_ends = 0.0
        self.recovery_begins = False
        self.in_recovery = False
        self.prior_cwnd = 0.0
        self.idle_restart = False
        self.delivered = 0.0
        self.next_round_delivered = 0.0
        self.round_start = False
        self.round_count = 0
        self.filled_pipe = False
        self.full_bw = 0.0
        self.full_bw_count = 0
        self.app_limited_from = math.inf
        self.app_limited_until = 0.0
        self.has_seen_rtt = False
        self.cycle_index = 0
        self.cycle_stamp = 0
        self.enter_startup()
        # The rate is the initial window over the smoothed round-trip time, or over a millisecond before there
        # is one.
        self.pacing_rate = self.pacing_gain * start.initial_window / 1e-3

    def on_ack(self, ack: Ack) -> None:
        """BBRUpdateModelAndState, BBRUpdateControlParameters."""
        self.now = nanoseconds(ack.now)
        self.delivered += ack.delivered
        self.update_btl_bw(ack)
        self.check_cycle_phase(ack)
        self.check_full_pipe(ack)
        self.check_drain(ack)
        self.update_rt_prop(ack)
        self.check_probe_rtt(ack)
        self.set_pacing_rate(ack)
        self.set_cwnd(ack)

    def is_app_limited(self, sample: RateSample) -> bool:
        """The sample's own flag, or what ProbeRTT set to "ignore low rate samples"."""
        marked = self.app_limited_from <= sample.prior_delivered <= self.app_limited_until
        return sample.app_limited or marked

    def update_btl_bw(self, ack: Ack) -> None:
        """BBRUpdateRound, then the max filter over rounds."""
        self.round_start = False
        if ack.rate is None:
            return
        if ack.rate.prior_delivered >= self.next_round_delivered:
            self.next_round_delivered = self.delivered
            self.round_count += 1
            self.round_start = True
        if ack.rate.rate >= self.btl_bw or not self.is_app_limited(ack.rate):
            self.btl_bw = self.filter.update(self.btl_bw_filter_len, self.round_count, ack.rate.rate)

    def inflight(self, gain: float) -> float:
        """BBRInflight: "estimated_bdp = BBR.BtlBw * BBR.RTprop; return gain * estimated_bdp + quanta"."""
        if self.rt_prop == math.inf:
            return self.initial_window
        quanta = 3 * self.send_quantum
        return gain * self.btl_bw * (self.rt_prop / 1e9) + quanta

    def check_cycle_phase(self, ack: Ack) -> None:
        """BBRIsNextCyclePhase."""
        if self.state != "ProbeBW":
            return
        prior_inflight = ack.in_flight + ack.delivered + ack.lost
        is_full_length = self.now - self.cycle_stamp > self.rt_prop
        if self.pacing_gain_of_phase() == 1:
            is_next = is_full_length
        elif self.pacing_gain_of_phase() > 1:
            enough = ack.lost > 0 or prior_inflight >= self.inflight(self.pacing_gain)
            is_next = is_full_length and enough
        else:
            is_next = is_full_length or prior_inflight <= self.inflight(1.0)
        if is_next:
            self.start_phase(self.cycle_index + 1)

    def pacing_gain_of_phase(self) -> float:
        """The gain of the cycle at its present phase."""
        return GAIN_CYCLE[self.cycle_index]

    def start_phase(self, index: int) -> None:
        """BBRAdvanceCyclePhase."""
        self.cycle_stamp = self.now
        self.cycle_index = index % len(GAIN_CYCLE)
        self.pacing_gain = self.pacing_gain_of_phase()

    def check_full_pipe(self, ack: Ack) -> None:
        """Three rounds without growth by 25 %."""
        if self.filled_pipe or not self.round_start or ack.rate is None or self.is_app_limited(ack.rate):
            return
        if self.btl_bw >= self.full_bw * 1.25:
            self.full_bw = self.btl_bw
            self.full_bw_count = 0
            return
        self.full_bw_count += 1
        if self.full_bw_count >= 3:
            self.filled_pipe = True

    def check_drain(self, ack: Ack) -> None:
        """BBREnterDrain, and on from there "when packets_in_flight <= BBRInflight(1.0)"."""
        if self.state == "Startup" and self.filled_pipe:
            self.state = "Drain"
            self.pacing_gain = 1 / self.high_gain
            self.cwnd_gain = self.high_gain
        if self.state == "Drain" and ack.in_flight <= self.inflight(1.0):
            self.enter_probe_bw()

    def enter_startup(self) -> None:
        """BBREnterStartup."""
        self.state = "Startup"
        self.pacing_gain = self.high_gain
        self.cwnd_gain = self.high_gain

    def enter_probe_bw(self) -> None:
        """BBREnterProbeBW."""
        self.state = "ProbeBW"
        self.cwnd_gain = self.probe_bw_cwnd_gain
        self.start_phase(self.first_phase)

    def update_rt_prop(self, ack: Ack) -> None:
        """The smallest round-trip time, for ten seconds. BBRInit stamps when the connection begins."""
        is_stamped = self.rt_prop != math.inf
        self.rt_prop_expired = is_stamped and self.now > self.rt_prop_stamp + self.rt_prop_filter_len
        if ack.rtt is not None and (nanoseconds(ack.rtt) <= self.rt_prop or self.rt_prop_expired):
            self.rt_prop = nanoseconds(ack.rtt)
            self.rt_prop_stamp = self.now

    def check_probe_rtt(self, ack: Ack) -> None:
        """BBREnterProbeRTT, BBRHandleProbeRTT."""
        if self.state != "ProbeRTT" and self.rt_prop_expired and not self.idle_restart:
            self.save_cwnd()
            self.state = "ProbeRTT"
            self.pacing_gain = 1
            self.cwnd_gain = 1
            self.probe_rtt_done_stamp = None
            self.app_limited_from = self.delivered
        if self.state == "ProbeRTT":
            self.handle_probe_rtt(ack)
        self.idle_restart = False

    def handle_probe_rtt(self, ack: Ack) -> None:
        """At most four packets in flight, for 200 ms and a round."""
        self.app_limited_until = max(self.delivered + ack.in_flight, 1.0)
        if self.probe_rtt_done_stamp is None:
            if ack.in_flight <= BBR_MIN_PIPE_CWND:
                self.probe_rtt_done_stamp = self.now + self.probe_rtt_duration
                self.probe_rtt_round_done = False
                self.next_round_delivered = self.delivered
            return
        if self.round_start:
            self.probe_rtt_round_done = True
        if self.probe_rtt_round_done and self.now > self.probe_rtt_done_stamp:
            self.rt_prop_stamp = self.now
            self.restore_cwnd()
            if self.filled_pipe:
                self.enter_probe_bw()
            else:
                self.enter_startup()

    def set_pacing_rate(self, ack: Ack) -> None:
        """BBRInitPacingRate at the first round-trip time, BBRSetPacingRate after."""
        if ack.srtt > 0 and not self.has_seen_rtt:
            self.has_seen_rtt = True
            self.pacing_rate = self.high_gain * (self.initial_window / ack.srtt)
        self.set_pacing_rate_with_gain(self.pacing_gain)

    def set_pacing_rate_with_gain(self, gain: float) -> None:
        """Never slower before the pipe was full."""
        rate = gain * self.btl_bw
        if self.filled_pipe or rate > self.pacing_rate:
            self.pacing_rate = rate

    def set_cwnd(self, ack: Ack) -> None:
        """BBRSetCwnd."""
        target_cwnd = self.inflight(self.cwnd_gain)
        self.modulate_cwnd_for_recovery(ack)
        if not self.packet_conservation:
            if self.filled_pipe:
                self.cwnd = min(self.cwnd + ack.delivered, target_cwnd)
            elif self.cwnd < target_cwnd or self.delivered < self.initial_window:
                self.cwnd = self.cwnd + ack.delivered
            self.cwnd = max(self.cwnd, BBR_MIN_PIPE_CWND)
        if self.state == "ProbeRTT":
            self.cwnd = min(self.cwnd, BBR_MIN_PIPE_CWND)

    def modulate_cwnd_for_recovery(self, ack: Ack) -> None:
        """Conservation in the first round of a recovery, the old window after the last."""
        if self.in_recovery and not ack.recovering:
            self.packet_conservation = False
            self.restore_cwnd()
        self.in_recovery = ack.recovering
        if not ack.recovering:
            self.recovery_begins = False
            return
        if ack.lost > 0:
            self.cwnd = max(self.cwnd - ack.lost, 1.0)
        if self.recovery_begins:
            self.recovery_begins = False
            self.cwnd = ack.in_flight + max(ack.delivered, 1.0)
            self.packet_conservation = True
            self.conservation_ends = self.delivered
        if self.packet_conservation:
            if ack.rate is not None and ack.rate.prior_delivered >= self.conservation_ends:
                self.packet_conservation = False
            else:
                self.cwnd = max(self.cwnd, ack.in_flight + ack.delivered)

    def save_cwnd(self) -> None:
        """BBRSaveCwnd."""
        if not self.in_recovery and self.state != "ProbeRTT":
            self.prior_cwnd = self.cwnd
        else:
            self.prior_cwnd = max(self.prior_cwnd, self.cwnd)

    def restore_cwnd(self) -> None:
        """BBRRestoreCwnd."""
        self.cwnd = max(self.cwnd, self.prior_cwnd)

    def on_congestion(self, event: Congestion) -> None:
        """A recovery, or a timeout, begins; marks have no effect."""
        if event.signal == Signal.ECN:
            return
        if self.in_recovery and not event.restart:
            # A retransmission was lost: the same recovery continues, whose first round is over or under way.
            return
        self.save_cwnd()
        self.recovery_begins = not event.restart
        if event.restart:
            self.cwnd = self.restart_window
            self.packet_conservation = False
            self.in_recovery = True

    def on_spurious(self) -> None:
        """There was no congestion."""
        self.packet_conservation = False
        self.recovery_begins = False
        self.in_recovery = False
        self.restore_cwnd()

    def on_idle_restart(self, restart_window: float) -> None:
        """BBRHandleRestartFromIdle; at a late beginning the window is at most this restart window."""
        self.idle_restart = True
        if self.delivered == 0:
            self.initial_window = min(self.initial_window, max(restart_window, 1.0))
            self.cwnd = min(self.cwnd, self.initial_window)
            return
        if self.state == "ProbeBW":
            self.set_pacing_rate_with_gain(1)
