//! BBR, version 1 (Cardwell, Cheng, Gunn, Hassas Yeganeh and Jacobson 2016; draft-cardwell-iccrg-bbr-00).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, PacketRate, Time};

use super::max_filter::MaxFilter;
use crate::control::{CongestionControl, Decision, Needs, Start};
use crate::facts::{Ack, Congestion, Event, RateSample, Signal};

/// Packets in flight that keep a path with delayed acknowledgments busy (`BBRMinPipeCwnd`).
const MIN_PIPE: f64 = 4.0;
/// The gains of one cycle, each for about one round trip: probe, drain, cruise.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// The round-trip time taken for the first pacing rate, while none is known.
const UNKNOWN_RTT_S: f64 = 1e-3;
/// Growth by less than this factor is none.
const GROWTH: f64 = 1.25;
/// Rounds without growth after which the pipe counts as full.
const FULL_ROUNDS: u8 = 3;

pub(crate) const ENTRY: Entry = Entry {
    kind: "controller",
    name: "bbr1",
    title: "BBR version 1: pace at the measured bandwidth, two bandwidth-delay products in flight at the most",
    source: "Cardwell et al., ACM Queue 14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00",
    parameters: &[
        Parameter::new(
            "startup_gain",
            Unit::Number,
            2.885,
            (1.1, 10.0),
            "pacing and window gain of Startup, BBRHighGain (2/ln 2); Drain paces by its inverse",
        ),
        Parameter::new(
            "cwnd_gain",
            Unit::Number,
            2.0,
            (1.0, 10.0),
            "window of ProbeBW in bandwidth-delay products",
        ),
        Parameter::new(
            "bw_window",
            Unit::Count,
            10.0,
            (1.0, 1000.0),
            "round trips over which the largest delivery rate is the bandwidth, BtlBwFilterLen",
        ),
        Parameter::new(
            "probe_rtt_window",
            Unit::Seconds,
            10.0,
            (0.1, 1e6),
            "seconds for which the smallest round-trip time holds, RTpropFilterLen; then comes ProbeRTT",
        ),
        Parameter::new(
            "probe_rtt_duration",
            Unit::Seconds,
            0.2,
            (0.0, 10.0),
            "seconds that ProbeRTT keeps four packets in flight",
        ),
        Parameter::new(
            "phase",
            Unit::Count,
            2.0,
            (0.0, 7.0),
            "phase of the gain cycle that ProbeBW begins with, 0 (probe) or 2 to 7 (cruise); random in the source",
        ),
        Parameter::new(
            "quantum",
            Unit::Packets,
            1.0,
            (1.0, 64.0),
            "packets sent together, send_quantum: three times as many are allowed for in flight",
        ),
    ],
    check: Some(|values| match values.get("phase") {
        phase if phase.to_bits() == 1.0_f64.to_bits() => {
            Err(format!("phase={phase} must be a whole number, and not 1, the draining phase"))
        }
        _ => Ok(()),
    }),
    aliases: &["bbr", "bbrv1"],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values, start: &Start) -> Bbr1 {
    Bbr1::new(values, start)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

#[derive(Clone, Copy, Debug)]
struct Settings {
    startup_gain: f64,
    cwnd_gain: f64,
    bw_window: u64,
    probe_rtt_window: Duration,
    probe_rtt_duration: Duration,
    phase: usize,
    quantum: f64,
    initial_window: f64,
    restart_window: f64,
}

/// BBR as published: the largest delivery rate of ten round trips and the smallest round-trip time of ten seconds are
/// the path; sending at that rate, and up to two of their products in flight, is all it does. Losses cut nothing but
/// the first round trip of a recovery, in which as much is sent as is delivered.
///
/// What the sources leave open, and what is done here:
/// - *The first phase* of `ProbeBW` is random in the source, any but the draining one. Controllers have no randomness:
///   it is the parameter `phase`, and flows that begin together with the same one stay in step for longer.
/// - *Send quantum*: a sender here paces packet by packet, so it is one packet (`quantum`).
/// - *ECN*: the publication has no response, so marks change nothing.
/// - *Idleness* is what the transport says it is: longer than the retransmission timeout.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "the source's own flags, each about something else")]
pub struct Bbr1 {
    settings: Settings,
    state: State,
    pacing_gain: f64,
    cwnd_gain: f64,
    cwnd: f64,
    /// Packets per second.
    pacing_rate: f64,
    /// Whether a round-trip time was known when the rate was set.
    rate_is_measured: bool,
    /// Packets delivered so far.
    delivered: f64,
    /// The round ends when a packet sent after this many deliveries is delivered.
    round_ends: f64,
    round: u64,
    round_starts: bool,
    bw_filter: MaxFilter,
    /// The bottleneck's bandwidth in packets per second (`BtlBw`).
    bw: f64,
    /// The round-trip propagation time (`RTprop`), and when it was measured.
    min_rtt: Option<Duration>,
    min_rtt_at: Time,
    min_rtt_expired: bool,
    /// The estimator of a full pipe.
    full_bw: f64,
    full_rounds: u8,
    filled_pipe: bool,
    phase: usize,
    phase_since: Time,
    /// When four packets have been in flight for long enough.
    probe_rtt_done: Option<Time>,
    probe_rtt_round_done: bool,
    /// Samples of packets sent after so many deliveries, and before so many, are of `ProbeRTT`.
    held_down: (f64, f64),
    idle_restart: bool,
    recovering: bool,
    /// Recovery begins with this acknowledgment.
    entering_recovery: bool,
    /// Packet conservation lasts until a packet sent after this many deliveries is delivered.
    conserving_until: Option<f64>,
    /// The window to return to after recovery or `ProbeRTT`.
    prior_cwnd: f64,
}

impl Bbr1 {
    fn new(values: &Values, start: &Start) -> Bbr1 {
        let settings = Settings {
            startup_gain: values.get("startup_gain"),
            cwnd_gain: values.get("cwnd_gain"),
            bw_window: values.get("bw_window").round() as u64,
            probe_rtt_window: Duration::from_secs_f64(values.get("probe_rtt_window")),
            probe_rtt_duration: Duration::from_secs_f64(values.get("probe_rtt_duration")),
            phase: values.get("phase") as usize,
            quantum: values.get("quantum"),
            initial_window: start.initial_window,
            restart_window: start.restart_window,
        };
        Bbr1 {
            settings,
            state: State::Startup,
            pacing_gain: settings.startup_gain,
            cwnd_gain: settings.startup_gain,
            cwnd: settings.initial_window,
            pacing_rate: settings.startup_gain * settings.initial_window / UNKNOWN_RTT_S,
            rate_is_measured: false,
            delivered: 0.0,
            round_ends: 0.0,
            round: 0,
            round_starts: false,
            bw_filter: MaxFilter::default(),
            bw: 0.0,
            min_rtt: None,
            min_rtt_at: Time::ZERO,
            min_rtt_expired: false,
            full_bw: 0.0,
            full_rounds: 0,
            filled_pipe: false,
            phase: 0,
            phase_since: Time::ZERO,
            probe_rtt_done: None,
            probe_rtt_round_done: false,
            held_down: (0.0, 0.0),
            idle_restart: false,
            recovering: false,
            entering_recovery: false,
            conserving_until: None,
            prior_cwnd: 0.0,
        }
    }

    /// `BBRInflight`: so many bandwidth-delay products, and what the hosts hold back.
    fn in_flight(&self, gain: f64) -> f64 {
        match self.min_rtt {
            None => self.settings.initial_window,
            Some(rtt) => gain * self.bw * rtt.as_secs_f64() + 3.0 * self.settings.quantum,
        }
    }

    fn update_bandwidth(&mut self, ack: &Ack) {
        self.round_starts = false;
        let Some(sample) = ack.rate else { return };
        if sample.prior_delivered >= self.round_ends {
            self.round_ends = self.delivered;
            self.round += 1;
            self.round_starts = true;
        }
        if sample.rate.0 >= self.bw || !self.is_held_down(&sample) {
            self.bw = self.bw_filter.update(self.settings.bw_window, self.round, sample.rate.0);
        }
    }

    /// Whether the application, or `ProbeRTT`, kept the rate low.
    fn is_held_down(&self, sample: &RateSample) -> bool {
        let (from, until) = self.held_down;
        sample.app_limited || (from..until).contains(&sample.prior_delivered)
    }

    /// `BBRCheckCyclePhase`: a phase lasts a round-trip time; probing goes on until it has put its share in flight or
    /// lost a packet, draining ends as soon as the queue is gone.
    fn check_cycle_phase(&mut self, ack: &Ack) {
        let (State::ProbeBw, Some(rtt)) = (self.state, self.min_rtt) else { return };
        let is_full_length = ack.now.since(self.phase_since) > rtt;
        let before = ack.in_flight + ack.delivered + ack.lost;
        let is_over = match self.phase {
            0 => is_full_length && (ack.lost > 0.0 || before >= self.in_flight(self.pacing_gain)),
            1 => is_full_length || before <= self.in_flight(1.0),
            _ => is_full_length,
        };
        if is_over {
            self.begin_phase(ack.now, (self.phase + 1) % CYCLE.len());
        }
    }

    fn begin_phase(&mut self, now: Time, phase: usize) {
        self.phase = phase;
        self.phase_since = now;
        self.pacing_gain = CYCLE[phase];
    }

    /// `BBRCheckFullPipe`: three rounds in which the bandwidth did not grow by a quarter.
    fn check_full_pipe(&mut self, ack: &Ack) {
        let usable = ack.rate.is_some_and(|sample| !self.is_held_down(&sample));
        if self.filled_pipe || !self.round_starts || !usable {
            return;
        }
        if self.bw >= self.full_bw * GROWTH {
            self.full_bw = self.bw;
            self.full_rounds = 0;
            return;
        }
        self.full_rounds += 1;
        self.filled_pipe = self.full_rounds >= FULL_ROUNDS;
    }

    fn check_drain(&mut self, ack: &Ack) {
        if self.state == State::Startup && self.filled_pipe {
            self.state = State::Drain;
            self.pacing_gain = 1.0 / self.settings.startup_gain;
            self.cwnd_gain = self.settings.startup_gain;
        }
        if self.state == State::Drain && ack.in_flight <= self.in_flight(1.0) {
            self.enter_probe_bw(ack.now);
        }
    }

    fn enter_probe_bw(&mut self, now: Time) {
        self.state = State::ProbeBw;
        self.cwnd_gain = self.settings.cwnd_gain;
        self.begin_phase(now, self.settings.phase);
    }

    fn update_min_rtt(&mut self, ack: &Ack) {
        self.min_rtt_expired = ack.now > self.min_rtt_at + self.settings.probe_rtt_window;
        let Some(rtt) = ack.rtt else { return };
        if self.min_rtt_expired || self.min_rtt.is_none_or(|known| rtt <= known) {
            self.min_rtt = Some(rtt);
            self.min_rtt_at = ack.now;
        }
    }

    fn check_probe_rtt(&mut self, ack: &Ack) {
        if self.state != State::ProbeRtt && self.min_rtt_expired && !self.idle_restart {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            self.pacing_gain = 1.0;
            self.cwnd_gain = 1.0;
            self.probe_rtt_done = None;
            self.held_down.0 = self.delivered;
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(ack);
        }
        self.idle_restart = false;
    }

    fn handle_probe_rtt(&mut self, ack: &Ack) {
        self.held_down.1 = (self.delivered + ack.in_flight).max(1.0);
        match self.probe_rtt_done {
            None if ack.in_flight <= MIN_PIPE => {
                self.probe_rtt_done = Some(ack.now + self.settings.probe_rtt_duration);
                self.probe_rtt_round_done = false;
                self.round_ends = self.delivered;
            }
            None => {}
            Some(done) => {
                self.probe_rtt_round_done |= self.round_starts;
                if self.probe_rtt_round_done && ack.now > done {
                    self.min_rtt_at = ack.now;
                    self.restore_cwnd();
                    self.leave_probe_rtt(ack.now);
                }
            }
        }
    }

    fn leave_probe_rtt(&mut self, now: Time) {
        if self.filled_pipe {
            self.enter_probe_bw(now);
        } else {
            self.state = State::Startup;
            self.pacing_gain = self.settings.startup_gain;
            self.cwnd_gain = self.settings.startup_gain;
        }
    }

    /// Before the first bandwidth sample the rate is that of the initial window in a round-trip time.
    fn set_pacing_rate(&mut self, ack: &Ack) {
        if !self.rate_is_measured && !ack.srtt.is_zero() {
            self.rate_is_measured = true;
            let nominal = self.settings.initial_window / ack.srtt.as_secs_f64();
            self.pacing_rate = self.settings.startup_gain * nominal;
        }
        self.pace(self.pacing_gain);
    }

    fn pace(&mut self, gain: f64) {
        let rate = gain * self.bw;
        if self.filled_pipe || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    fn set_cwnd(&mut self, ack: &Ack) {
        self.modulate_for_recovery(ack);
        if self.conserving_until.is_none() {
            let target = self.in_flight(self.cwnd_gain);
            if self.filled_pipe {
                self.cwnd = (self.cwnd + ack.delivered).min(target);
            } else if self.cwnd < target || self.delivered < self.settings.initial_window {
                self.cwnd += ack.delivered;
            }
            self.cwnd = self.cwnd.max(MIN_PIPE);
        }
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(MIN_PIPE);
        }
    }

    /// `BBRModulateCwndForRecovery`, and what happens where a recovery begins and ends.
    fn modulate_for_recovery(&mut self, ack: &Ack) {
        if self.recovering && !ack.recovering {
            self.conserving_until = None;
            self.restore_cwnd();
        }
        self.recovering = ack.recovering;
        if !ack.recovering {
            self.entering_recovery = false;
            return;
        }
        if ack.lost > 0.0 {
            self.cwnd = (self.cwnd - ack.lost).max(1.0);
        }
        if std::mem::take(&mut self.entering_recovery) {
            self.conserving_until = Some(self.delivered);
            self.cwnd = ack.in_flight + ack.delivered.max(1.0);
        }
        let Some(until) = self.conserving_until else { return };
        if ack.rate.is_some_and(|sample| sample.prior_delivered >= until) {
            self.conserving_until = None;
        } else {
            self.cwnd = self.cwnd.max(ack.in_flight + ack.delivered);
        }
    }

    fn save_cwnd(&mut self) {
        let is_modulated = self.recovering || self.state == State::ProbeRtt;
        self.prior_cwnd = if is_modulated { self.prior_cwnd.max(self.cwnd) } else { self.cwnd };
    }

    fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    /// `BBRHandleSpuriousRecovery`: the window and the state of before the recovery.
    fn undo(&mut self) {
        self.conserving_until = None;
        self.entering_recovery = false;
        self.recovering = false;
        self.restore_cwnd();
    }

    /// The window stays: pacing at the bandwidth fills the pipe without a burst.
    fn restart_after_idle(&mut self, restart_window: f64) {
        if self.delivered <= 0.0 {
            self.settings.initial_window = self.settings.initial_window.min(restart_window.max(1.0));
            self.cwnd = self.cwnd.min(self.settings.initial_window);
            return;
        }
        self.idle_restart = true;
        if self.state == State::ProbeBw {
            self.pace(1.0);
        }
    }

    /// The state for segments of another size: every window, rate and count of packets.
    fn scale(&mut self, ratio: f64) {
        self.cwnd = (self.cwnd * ratio).max(1.0);
        self.bw_filter.scale(ratio);
        let Bbr1 { settings, pacing_rate, delivered, round_ends, bw, full_bw, held_down, prior_cwnd, .. } =
            self;
        let (held_from, held_until) = (&mut held_down.0, &mut held_down.1);
        let packets = [pacing_rate, delivered, round_ends, bw, full_bw, held_from, held_until, prior_cwnd];
        let conserving_until = self.conserving_until.iter_mut();
        let all = packets.into_iter().chain(conserving_until).chain([&mut settings.initial_window]);
        all.for_each(|count| *count *= ratio);
    }
}

impl CongestionControl for Bbr1 {
    /// It is fed by selective acknowledgments, and takes for granted that the loss of a retransmission is detected
    /// (draft-ietf-ccwg-bbr-06, 4.1.3.5.1): with SACK alone it waits for the timer again and again.
    fn needs(&self) -> Needs {
        Needs { samples: true, pacing: true, accurate_ecn: false, recovery: Some("rack") }
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        self.delivered += ack.delivered;
        self.update_bandwidth(ack);
        self.check_cycle_phase(ack);
        self.check_full_pipe(ack);
        self.check_drain(ack);
        self.update_min_rtt(ack);
        self.check_probe_rtt(ack);
        self.set_pacing_rate(ack);
        self.set_cwnd(ack);
        self.decision()
    }

    fn on_congestion(&mut self, event: &Congestion) -> Decision {
        match event.signal {
            Signal::Ecn => {}
            Signal::Loss if !event.restart => {
                self.save_cwnd();
                self.entering_recovery = true;
            }
            Signal::Loss | Signal::Timeout => {
                self.save_cwnd();
                self.conserving_until = None;
                self.entering_recovery = false;
                self.cwnd = self.settings.restart_window;
                self.recovering = true;
            }
        }
        self.decision()
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        match *event {
            Event::Spurious => self.undo(),
            Event::IdleRestart { restart_window } => self.restart_after_idle(restart_window),
            Event::Deadline { .. } => {}
            Event::SegmentSize { .. } => self.scale(event.scale()),
        }
        self.decision()
    }

    fn decision(&self) -> Decision {
        Decision { cwnd: self.cwnd, pacing_rate: Some(PacketRate(self.pacing_rate)), wake: None }
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("bbr1_state", f64::from(self.state as u8));
        gauge("bbr1_bandwidth_packet_per_s", self.bw);
        gauge("bbr1_min_rtt_s", self.min_rtt.map_or(f64::NAN, Duration::as_secs_f64));
        gauge("bbr1_pacing_gain", self.pacing_gain);
    }

    fn clone_box(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}
