//! BBR, version 3 (draft-ietf-ccwg-bbr-06): its state and the order of its steps. Section numbers are the draft's.

mod cycle;
mod entry;
mod loss;
mod model;
mod probe_rtt;

use ackclock_units::{Duration, PacketRate, Time};

pub(crate) use self::entry::{ENTRY, make};
use super::held_down::HeldDown;
use super::max_filter::MaxFilter;
use super::pacing_rate::PacingRate;
use super::real::{larger, smaller};
use super::saved_window::SavedWindow;
use crate::control::{CongestionControl, Decision};
use crate::facts::{Ack, Congestion, Event, Needs, RateSample, Signal};

/// `BBR.MinPipeCwnd`: packets in flight that keep a path with delayed acknowledgments busy.
const MIN_PIPE: f64 = 4.0;
/// The gains of `ProbeBW` (5.6.1).
const UP_GAIN: f64 = 1.25;
const UP_CWND_GAIN: f64 = 2.25;
const DOWN_GAIN: f64 = 0.9;

/// 5.1.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

/// The phase of a probe that arriving acknowledgments belong to (`BBR.ack_phase`, 2.14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

#[derive(Clone, Copy, Debug)]
struct Settings {
    startup_gain: f64,
    drain_gain: f64,
    cwnd_gain: f64,
    loss_threshold: f64,
    beta: f64,
    headroom: f64,
    probe_rtt_window: Duration,
    min_rtt_window: Duration,
    probe_rtt_duration: Duration,
    probe_rtt_gain: f64,
    pacing_margin: f64,
    quantum: f64,
    wait_phase: f64,
    filter_after_probe_rtt: bool,
    save_once: bool,
    initial_window: f64,
    restart_window: f64,
}

/// BBR as the draft of July 2026 has it: bandwidth and round-trip time as in version 1, and bounds on the rate and
/// the packets in flight learnt from losses, for one probe (`shortterm`) and beyond it (`longterm`).
///
/// Choices made here where the draft is open or draws at random:
/// - *Waits between probes* are random in the draft: 2 to 3 s, and 62 or 63 rounds. Controllers have no randomness:
///   the fractions of a second follow the golden-ratio sequence, which spreads evenly and starts at the parameter
///   `wait_phase`; the rounds alternate between 62 and 63.
/// - *ECN* has no specified response, but marks must count as congestion (3.7): a mark is a loss in its round, ends
///   Startup, and ends a probe as too high.
/// - *Lost packets* are judged once per acknowledgment, by the latest-sent one; the draft judges each in turn.
/// - *Ranges lost in Startup* are counted as acknowledgments that found losses, as in Linux.
/// - *`C.is_cwnd_limited`*: true if, before some acknowledgment of this round or the last, no whole packet fitted
///   into the window. `C.inflight` reaches `inflight_longterm` in the same sense.
/// - *`SaveCwnd` on entering `ProbeRTT`* saves the window in force; read literally, the draft has changed the state
///   by then, and would keep an older and larger window.
/// - *A probe that `ProbeRTT` cuts off* ends no cycle of the bandwidth filter, and *the state before a recovery* is saved
///   anew in each round with losses: so is the pseudocode. The parameters `filter_after_probe_rtt` and `save_once` follow
///   the draft's prose instead (5.5.6, 5.5.11.1).
/// - *Send quantum* is one packet (`quantum`), since a sender here paces packet by packet.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "the draft's own flags, each about something else")]
pub struct Bbr3 {
    settings: Settings,
    state: State,
    cwnd: f64,
    pacing: PacingRate,
    // Rounds (5.5.1), in packets delivered.
    delivered: f64,
    round_ends: f64,
    round: u64,
    round_starts: bool,
    // The path (2.9 to 2.12).
    cycle: u64,
    max_bw_filter: MaxFilter,
    max_bw: f64,
    bw: f64,
    bw_shortterm: f64,
    inflight_longterm: f64,
    inflight_shortterm: f64,
    extra_acked_filter: MaxFilter,
    extra_acked: f64,
    extra_acked_since: Time,
    extra_acked_delivered: f64,
    min_rtt: Option<Duration>,
    min_rtt_at: Time,
    // The full-pipe estimator (2.13).
    full_bw_reached: bool,
    full_bw_now: bool,
    full_bw: f64,
    full_bw_count: u8,
    drain_start_round: u64,
    // The probing cycle (2.14).
    ack_phase: AckPhase,
    is_probe_sample: bool,
    probe_up_acked: f64,
    probe_up_acked_per_increment: f64,
    probe_up_rounds: u32,
    rounds_since_probe: u64,
    probe_wait: Duration,
    waits: u32,
    cycle_at: Time,
    prev_probe_too_high: bool,
    prev_probe_precautionary: bool,
    /// True if the window was full in this round, and in the last.
    limited: (bool, bool),
    // Congestion (2.10).
    is_loss_in_round: bool,
    losses_in_round: u32,
    loss_round_starts: bool,
    loss_round_delivered: f64,
    bw_latest: f64,
    inflight_latest: f64,
    marked: bool,
    recovering: bool,
    saved: SavedWindow,
    // Undo (2.15).
    undo_state: Option<State>,
    undo_bw_shortterm: f64,
    undo_inflight_shortterm: f64,
    undo_inflight_longterm: f64,
    // ProbeRTT (2.16).
    probe_rtt_min: Option<Duration>,
    probe_rtt_min_at: Time,
    probe_rtt_expired: bool,
    probe_rtt_done: Option<Time>,
    probe_rtt_round_done: bool,
    held_down: HeldDown,
    idle_restart: bool,
}

impl Bbr3 {
    fn new(settings: Settings) -> Bbr3 {
        Bbr3 {
            settings,
            state: State::Startup,
            cwnd: settings.initial_window,
            pacing: PacingRate::new(settings.startup_gain, settings.initial_window),
            delivered: 0.0,
            round_ends: 0.0,
            round: 0,
            round_starts: false,
            cycle: 0,
            max_bw_filter: MaxFilter::default(),
            max_bw: 0.0,
            bw: 0.0,
            bw_shortterm: f64::INFINITY,
            inflight_longterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            extra_acked_filter: MaxFilter::default(),
            extra_acked: 0.0,
            extra_acked_since: Time::ZERO,
            extra_acked_delivered: 0.0,
            min_rtt: None,
            min_rtt_at: Time::ZERO,
            full_bw_reached: false,
            full_bw_now: false,
            full_bw: 0.0,
            full_bw_count: 0,
            drain_start_round: 0,
            ack_phase: AckPhase::Init,
            is_probe_sample: false,
            probe_up_acked: 0.0,
            probe_up_acked_per_increment: f64::INFINITY,
            probe_up_rounds: 0,
            rounds_since_probe: 0,
            probe_wait: Duration::ZERO,
            waits: 0,
            cycle_at: Time::ZERO,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            limited: (false, false),
            is_loss_in_round: false,
            losses_in_round: 0,
            loss_round_starts: false,
            loss_round_delivered: 0.0,
            bw_latest: 0.0,
            inflight_latest: 0.0,
            marked: false,
            recovering: false,
            saved: SavedWindow::default(),
            undo_state: None,
            undo_bw_shortterm: 0.0,
            undo_inflight_shortterm: 0.0,
            undo_inflight_longterm: 0.0,
            probe_rtt_min: None,
            probe_rtt_min_at: Time::ZERO,
            probe_rtt_expired: false,
            probe_rtt_done: None,
            probe_rtt_round_done: false,
            held_down: HeldDown::default(),
            idle_restart: false,
        }
    }

    /// The sample of this acknowledgment, or an empty one without it. `ProbeRTT` marks it as limited by the
    /// application.
    fn sample(&self, ack: &Ack) -> RateSample {
        let mut sample = ack.rate.unwrap_or_default();
        sample.app_limited |= self.held_down.contains(sample.prior_delivered);
        sample
    }

    fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => self.settings.startup_gain,
            State::Drain => self.settings.drain_gain,
            State::Down => DOWN_GAIN,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
            State::Up => UP_GAIN,
        }
    }

    fn cwnd_gain(&self) -> f64 {
        match self.state {
            State::Up => UP_CWND_GAIN,
            State::ProbeRtt => self.settings.probe_rtt_gain,
            _ => self.settings.cwnd_gain,
        }
    }

    fn is_in_probe_bw(&self) -> bool {
        matches!(self.state, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// 5.6.2, `SetPacingRate`.
    fn set_pacing_rate(&mut self, ack: &Ack) {
        self.pacing.measure(self.settings.startup_gain, self.settings.initial_window, ack.srtt);
        self.pace(self.pacing_gain());
    }

    fn pace(&mut self, gain: f64) {
        let rate = gain * self.bw * (1.0 - self.settings.pacing_margin);
        // No bandwidth is known if a mark on the very first packets ended Startup.
        if rate > 0.0 && (self.full_bw_reached || rate > self.pacing.rate) {
            self.pacing.rate = rate;
        }
    }

    /// 5.6.4.6, `SetCwnd`.
    fn set_cwnd(&mut self, ack: &Ack) {
        let max_inflight = self.quantize(self.bdp_multiple(self.bw, self.cwnd_gain()) + self.extra_acked);
        if self.full_bw_reached {
            self.cwnd = smaller(self.cwnd + ack.delivered, max_inflight);
        } else if self.cwnd < max_inflight || self.delivered < self.settings.initial_window {
            self.cwnd += ack.delivered;
        }
        self.cwnd = larger(self.cwnd, MIN_PIPE);
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        // 5.6.4.7, BoundCwndForModel.
        let cap = match self.state {
            State::Down | State::Refill | State::Up => self.inflight_longterm,
            State::ProbeRtt | State::Cruise => self.inflight_with_headroom(),
            State::Startup | State::Drain => f64::INFINITY,
        };
        self.cwnd = smaller(self.cwnd, larger(smaller(cap, self.inflight_shortterm), MIN_PIPE));
    }

    fn save_cwnd(&mut self) {
        let is_modulated = self.recovering || self.state == State::ProbeRtt;
        self.saved.save(self.cwnd, is_modulated);
    }

    fn restore_cwnd(&mut self) {
        self.cwnd = self.saved.restore(self.cwnd);
    }

    /// 5.4.1: the window stays, since pacing at the bandwidth fills the pipe without a burst.
    fn restart_after_idle(&mut self, restart_window: f64) {
        self.idle_restart = true;
        if self.delivered <= 0.0 {
            // A SYN was lost, or the first data came late.
            self.settings.initial_window = self.settings.initial_window.min(restart_window.max(1.0));
            self.cwnd = self.cwnd.min(self.settings.initial_window);
            return;
        }
        // The next acknowledgment begins a new interval.
        self.extra_acked_delivered = 0.0;
        if self.is_in_probe_bw() {
            self.pace(1.0);
        }
    }

    /// Scales the state to segments of another size: every window, rate and count of packets. A step of one packet
    /// per number of acknowledged packets (`probe_up_acked_per_increment`) stays a step of one packet.
    fn scale(&mut self, ratio: f64) {
        self.cwnd = (self.cwnd * ratio).max(1.0);
        self.max_bw_filter.scale(ratio);
        self.extra_acked_filter.scale(ratio);
        self.held_down.scale(ratio);
        self.saved.scale(ratio);
        for packets in [
            &mut self.settings.initial_window,
            &mut self.pacing.rate,
            &mut self.delivered,
            &mut self.round_ends,
            &mut self.max_bw,
            &mut self.bw,
            &mut self.bw_shortterm,
            &mut self.inflight_longterm,
            &mut self.inflight_shortterm,
            &mut self.extra_acked,
            &mut self.extra_acked_delivered,
            &mut self.full_bw,
            &mut self.probe_up_acked,
            &mut self.probe_up_acked_per_increment,
            &mut self.loss_round_delivered,
            &mut self.bw_latest,
            &mut self.inflight_latest,
            &mut self.undo_bw_shortterm,
            &mut self.undo_inflight_shortterm,
            &mut self.undo_inflight_longterm,
        ] {
            *packets *= ratio;
        }
        self.settings.initial_window = self.settings.initial_window.max(1.0);
    }
}

impl CongestionControl for Bbr3 {
    /// It relies on selective acknowledgments and on the detection of lost retransmissions (draft-ietf-ccwg-bbr-06,
    /// 4.1.3.5.1): with SACK alone it would wait for the timer again and again.
    fn needs(&self) -> Needs {
        Needs { samples: true, pacing: true, recovery: Some("rack"), ..Needs::default() }
    }

    /// 5.2.3, after the response to losses of 5.2.4.
    fn on_ack(&mut self, ack: &Ack) -> Decision {
        self.delivered += ack.delivered;
        let sample = self.sample(ack);
        self.note_window_use(ack);
        self.handle_losses(ack, &sample);
        self.update_latest_delivery(ack, &sample);
        self.update_congestion_signals(ack, &sample);
        self.update_ack_aggregation(ack);
        self.check_full_bw(&sample);
        self.check_startup_done(ack, &sample);
        self.check_drain_done(ack);
        if ack.delivered > 0.0 {
            self.update_cycle(ack, &sample);
        }
        self.update_min_rtt(ack);
        self.check_probe_rtt(ack);
        if self.loss_round_starts {
            self.bw_latest = sample.rate.0;
            self.inflight_latest = sample.delivered;
        }
        self.bw = smaller(self.max_bw, self.bw_shortterm);
        if self.recovering && !ack.recovering {
            self.restore_cwnd();
        }
        self.recovering = ack.recovering;
        self.set_pacing_rate(ack);
        self.set_cwnd(ack);
        self.decision()
    }

    /// 5.6.4.4.
    fn on_congestion(&mut self, event: &Congestion) -> Decision {
        if event.signal == Signal::Ecn {
            self.marked = true;
            return self.decision();
        }
        self.save_cwnd();
        self.save_state_upon_loss();
        if event.restart {
            self.cwnd = self.settings.restart_window;
            self.recovering = true;
        }
        self.decision()
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        match *event {
            Event::Spurious => self.undo(),
            Event::IdleRestart { restart_window } => self.restart_after_idle(restart_window),
            // The model is validated by its samples.
            Event::NotValidated { .. } | Event::Deadline { .. } => {}
            Event::SegmentSize { .. } => self.scale(event.scale()),
        }
        self.decision()
    }

    fn decision(&self) -> Decision {
        Decision { cwnd: self.cwnd, pacing_rate: Some(PacketRate(self.pacing.rate)), wake: None }
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("bbr3_state", f64::from(self.state as u8));
        gauge("bbr3_bandwidth_packet_per_s", self.bw);
        gauge("bbr3_max_bandwidth_packet_per_s", self.max_bw);
        gauge("bbr3_bandwidth_shortterm_packet_per_s", self.bw_shortterm);
        gauge("bbr3_min_rtt_s", self.min_rtt.map_or(f64::NAN, Duration::as_secs_f64));
        gauge("bbr3_inflight_longterm_packets", self.inflight_longterm);
        gauge("bbr3_inflight_shortterm_packets", self.inflight_shortterm);
        gauge("bbr3_extra_acked_packets", self.extra_acked);
        gauge("bbr3_pacing_gain", self.pacing_gain());
        gauge("bbr3_cwnd_gain", self.cwnd_gain());
        gauge("bbr3_round", self.round as f64);
        gauge("bbr3_full_bandwidth_rounds", f64::from(self.full_bw_count));
    }
}
