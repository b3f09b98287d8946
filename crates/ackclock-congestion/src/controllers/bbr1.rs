//! BBR, version 1 (Cardwell, Cheng, Gunn, Hassas Yeganeh and Jacobson 2016; draft-cardwell-iccrg-bbr-00): its state and
//! the order of its steps.

mod cycle;
mod entry;
mod model;
mod probe_rtt;
mod recovery;

use ackclock_catalogue::Values;
use ackclock_units::{Duration, PacketRate, Time};

pub(crate) use self::entry::ENTRY;
use super::held_down::HeldDown;
use super::max_filter::MaxFilter;
use super::pacing_rate::PacingRate;
use super::saved_window::SavedWindow;
use crate::control::{CongestionControl, Decision};
use crate::facts::{Ack, Congestion, Event, Needs, Signal, Start};

/// Packets in flight that keep a path with delayed acknowledgments busy (`BBRMinPipeCwnd`).
const MIN_PIPE: f64 = 4.0;

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

/// BBR as published. Its model of the path is the largest delivery rate of ten round trips and the smallest
/// round-trip time of ten seconds. It sends at that rate, with up to two products of the two in flight. A loss only
/// limits the first round trip of the recovery, in which it sends as much as is delivered.
///
/// Points that the sources leave open, and the choices made here:
/// - *The first phase* of `ProbeBW` is random in the source: any phase but the draining one. Controllers have no
///   randomness, so the phase is the parameter `phase`. Flows that begin together with the same phase stay in step
///   for longer.
/// - *Send quantum*: one packet (`quantum`), since a sender here paces packet by packet.
/// - *ECN*: the publication has no response, so marks change nothing.
/// - *Idleness* is what the transport reports: a pause longer than the retransmission timeout.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "the source's own flags, each about something else")]
pub struct Bbr1 {
    settings: Settings,
    state: State,
    pacing_gain: f64,
    cwnd_gain: f64,
    cwnd: f64,
    pacing: PacingRate,
    /// Packets delivered since the connection began.
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
    held_down: HeldDown,
    idle_restart: bool,
    recovering: bool,
    /// Recovery begins with this acknowledgment.
    entering_recovery: bool,
    /// Packet conservation lasts until a packet sent after this many deliveries is delivered.
    conserving_until: Option<f64>,
    saved: SavedWindow,
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
            pacing: PacingRate::new(settings.startup_gain, settings.initial_window),
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
            held_down: HeldDown::default(),
            idle_restart: false,
            recovering: false,
            entering_recovery: false,
            conserving_until: None,
            saved: SavedWindow::default(),
        }
    }

    /// Before the first bandwidth sample the rate is the initial window in a round-trip time.
    fn set_pacing_rate(&mut self, ack: &Ack) {
        self.pacing.measure(self.settings.startup_gain, self.settings.initial_window, ack.srtt);
        self.pace(self.pacing_gain);
    }

    fn pace(&mut self, gain: f64) {
        let rate = gain * self.bw;
        if self.filled_pipe || rate > self.pacing.rate {
            self.pacing.rate = rate;
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

    /// The window stays: pacing at the bandwidth fills the pipe without a burst.
    fn restart_after_idle(&mut self, restart_window: f64) {
        self.idle_restart = true;
        if self.delivered <= 0.0 {
            // A SYN was lost, or the first data came late.
            self.settings.initial_window = self.settings.initial_window.min(restart_window.max(1.0));
            self.cwnd = self.cwnd.min(self.settings.initial_window);
            return;
        }
        if self.state == State::ProbeBw {
            self.pace(1.0);
        }
    }

    /// Scales the state to segments of another size: every window, rate and count of packets.
    fn scale(&mut self, ratio: f64) {
        self.cwnd = (self.cwnd * ratio).max(1.0);
        self.bw_filter.scale(ratio);
        self.held_down.scale(ratio);
        self.saved.scale(ratio);
        let Bbr1 { settings, pacing, delivered, round_ends, bw, full_bw, .. } = self;
        let packets = [&mut pacing.rate, delivered, round_ends, bw, full_bw];
        let conserving_until = self.conserving_until.iter_mut();
        let all = packets.into_iter().chain(conserving_until).chain([&mut settings.initial_window]);
        all.for_each(|count| *count *= ratio);
        self.settings.initial_window = self.settings.initial_window.max(1.0);
    }
}

impl CongestionControl for Bbr1 {
    /// It relies on selective acknowledgments and on the detection of lost retransmissions
    /// (draft-ietf-ccwg-bbr-06, 4.1.3.5.1): with SACK alone it would wait for the timer again and again.
    fn needs(&self) -> Needs {
        Needs { samples: true, pacing: true, recovery: Some("rack"), ..Needs::default() }
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
            // A lost retransmission is another signal of the same recovery. Conservation begins only once in a
            // recovery.
            Signal::Loss if !event.restart && self.recovering => {}
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
        gauge("bbr1_state", f64::from(self.state as u8));
        gauge("bbr1_bandwidth_packet_per_s", self.bw);
        gauge("bbr1_min_rtt_s", self.min_rtt.map_or(f64::NAN, Duration::as_secs_f64));
        gauge("bbr1_pacing_gain", self.pacing_gain);
    }
}
