//! The sending endpoint: its state, its life from SYN to FIN, and its timers. What it makes of acknowledgements is in
//! `acknowledge.rs`, what it sends next in `transmit.rs`.

use std::sync::Arc;

use ackclock_congestion::{Congestion, CongestionControl, Signal};
use ackclock_units::{Duration, PacketRate, Time};

use crate::segment::{Flags, Segment};

use super::delivery::Delivery;
use super::flight::{Flight, Sent};
use super::recovery::{Recovery, RecoveryState};
use super::rto::RttEstimator;
use super::settings::Settings;

/// The first data byte: the SYN takes sequence number 0.
const FIRST_BYTE: u64 = 1;

/// What the application does: it sends from `start` until `stop` or until `packets` are sent, then closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// When the connection opens.
    pub start: Time,
    /// When the application stops writing; [`Time::MAX`] for never.
    pub stop: Time,
    /// Full-sized packets to send; none for as many as fit the time.
    pub packets: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Not opened yet.
    Idle,
    SynSent,
    Established,
    /// No SYN was answered.
    Failed,
}

/// What a sender counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    /// Data segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Data segments sent again.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer (SYNs not counted).
    pub timeouts: u64,
    /// Congestion episodes found from acknowledgements.
    pub fast_retransmits: u64,
    /// Episodes found spurious afterwards.
    pub spurious: u64,
    /// SYNs sent.
    pub syns: u64,
    /// Round-trip times measured.
    pub rtt_samples: u64,
    /// Their sum.
    pub rtt_total: Duration,
    /// The largest.
    pub rtt_max: Duration,
    /// The window integrated over time since the connection opened, in packet-seconds.
    pub cwnd_seconds: f64,
}

/// A TCP sender: driven by [`on_segment`](Self::on_segment) and [`on_timer`](Self::on_timer), then polled by
/// [`poll_transmit`](Self::poll_transmit) until it has nothing to send, and by [`next_wake`](Self::next_wake).
pub struct Sender {
    pub(crate) settings: Arc<Settings>,
    pub(crate) controller: Box<dyn CongestionControl>,
    pub(crate) recovery: Recovery,
    pub(crate) state: State,
    pub(crate) loss: RecoveryState,
    pub(crate) flight: Flight,
    pub(crate) rtt: RttEstimator,
    pub(crate) delivery: Delivery,
    /// The next sequence number to send (SND.NXT).
    pub(crate) next: u64,
    /// The sequence number after the last byte the application writes; `u64::MAX` while that is open.
    pub(crate) limit: u64,
    /// The receive window the other side advertised, in bytes.
    pub(crate) peer_window: u64,
    /// The controller's window and pacing rate, asked for once per change.
    pub(crate) cwnd: f64,
    pub(crate) pacing: Option<PacketRate>,
    controller_deadline: Time,
    pub(crate) rto_deadline: Time,
    /// The application's start or stop.
    application_wake: Time,
    stop: Time,
    /// When pacing lets the next segment go, and whether one is waiting for it.
    pub(crate) paced_until: Time,
    pub(crate) is_paced: bool,
    pub(crate) last_sent_at: Time,
    pub(crate) syn_sent_at: Time,
    pub(crate) syn_due: bool,
    pub(crate) ack_due: bool,
    pub(crate) fin_received: bool,
    /// Whether the window was what stopped the sender last.
    pub(crate) window_limited: bool,
    /// Segments duplicate ACKs were counted as deliveries for, until a cumulative ACK covers them.
    pub(crate) credited: u32,
    /// Eifel (RFC 3522): the timestamp of an episode's first retransmission.
    pub(crate) retransmitted_at: Option<u32>,
    /// The other side's latest timestamp.
    pub(crate) echo: u32,
    cwnd_since: Time,
    established_at: Option<Time>,
    pub(crate) finished_at: Option<Time>,
    pub(crate) counters: Counters,
}

impl Sender {
    /// A sender that opens at `transfer.start`.
    pub fn new(
        settings: Arc<Settings>,
        recovery: Recovery,
        controller: Box<dyn CongestionControl>,
        transfer: Transfer,
    ) -> Sender {
        let mss = settings.mss;
        let limit = transfer.packets.map_or(u64::MAX, |packets| FIRST_BYTE + packets * u64::from(mss));
        let mut sender = Sender {
            recovery,
            state: State::Idle,
            loss: RecoveryState::new(),
            flight: Flight::new(FIRST_BYTE, mss),
            rtt: RttEstimator::new(&settings.rto),
            delivery: Delivery::default(),
            next: FIRST_BYTE,
            limit,
            peer_window: u64::from(settings.receive_window),
            cwnd: 0.0,
            pacing: None,
            controller_deadline: Time::MAX,
            rto_deadline: Time::MAX,
            application_wake: transfer.start,
            stop: transfer.stop,
            paced_until: Time::ZERO,
            is_paced: false,
            last_sent_at: Time::ZERO,
            syn_sent_at: Time::ZERO,
            syn_due: false,
            ack_due: false,
            fin_received: false,
            window_limited: true,
            credited: 0,
            retransmitted_at: None,
            echo: 0,
            cwnd_since: Time::MAX,
            established_at: None,
            finished_at: None,
            counters: Counters::default(),
            settings,
            controller,
        };
        sender.consult_controller();
        sender
    }

    /// Takes a segment that arrived.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        match self.state {
            State::Idle | State::Failed => {}
            State::SynSent => {
                if segment.flags.has(Flags::SYN.with(Flags::ACK)) && segment.acknowledgment == FIRST_BYTE {
                    self.on_syn_ack(now, segment);
                }
            }
            State::Established => {
                // A SYN-ACK again: our ACK was lost. A FIN: acknowledge it, however often it comes.
                let has_fin = segment.flags.has(Flags::FIN);
                self.fin_received |= has_fin;
                if has_fin || segment.flags.has(Flags::SYN) {
                    self.ack_due = true;
                }
                if !segment.flags.has(Flags::SYN) {
                    self.on_acknowledgment(now, segment);
                }
            }
        }
    }

    /// When [`on_timer`](Self::on_timer) wants to be called; [`Time::MAX`] for never.
    pub fn next_wake(&self) -> Time {
        let wake = self.application_wake.min(self.rto_deadline).min(self.controller_deadline);
        if self.is_paced { wake.min(self.paced_until) } else { wake }
    }

    /// Lets time pass: whatever was due by `now` happens.
    pub fn on_timer(&mut self, now: Time) {
        if now >= self.application_wake {
            self.on_application(now);
        }
        if now >= self.rto_deadline {
            self.on_timeout(now);
        }
        if now >= self.controller_deadline {
            self.integrate_cwnd(now);
            self.controller.on_deadline(now);
            self.consult_controller();
        }
    }

    /// The congestion window in packets.
    pub fn cwnd(&self) -> f64 {
        self.cwnd
    }

    /// The congestion controller, for traces.
    pub fn controller(&self) -> &dyn CongestionControl {
        &*self.controller
    }

    /// The round-trip time estimator.
    pub fn rtt(&self) -> &RttEstimator {
        &self.rtt
    }

    /// Packets believed to be in the network.
    pub fn in_flight(&self) -> u32 {
        self.in_network()
    }

    /// What was counted so far; the window is integrated up to `now`.
    pub fn counters(&self, now: Time) -> Counters {
        let cwnd_seconds = self.counters.cwnd_seconds + self.cwnd * now.since(self.cwnd_since).as_secs_f64();
        Counters { cwnd_seconds, ..self.counters }
    }

    /// When the connection was established.
    pub fn established_at(&self) -> Option<Time> {
        self.established_at
    }

    /// When the last data byte was acknowledged.
    pub fn finished_at(&self) -> Option<Time> {
        self.finished_at
    }

    /// Whether no SYN was answered.
    pub fn has_failed(&self) -> bool {
        self.state == State::Failed
    }

    /// Asks the controller for what may have changed.
    pub(crate) fn consult_controller(&mut self) {
        self.cwnd = self.controller.cwnd();
        self.pacing = self.controller.pacing_rate();
        self.controller_deadline = self.controller.deadline().unwrap_or(Time::MAX);
    }

    /// Notes when the last byte the application wrote was acknowledged.
    pub(crate) fn note_finish(&mut self, now: Time) {
        if self.finished_at.is_none() && self.flight.una() >= self.limit {
            self.finished_at = Some(now);
        }
    }

    /// Accounts for the window that was in force until now.
    pub(crate) fn integrate_cwnd(&mut self, now: Time) {
        self.counters.cwnd_seconds += self.cwnd * now.since(self.cwnd_since).as_secs_f64();
        self.cwnd_since = now;
    }

    /// Starts the retransmission timer anew.
    pub(crate) fn arm_rto(&mut self, now: Time) {
        self.rto_deadline = now + self.rtt.rto(&self.settings.rto);
    }

    pub(crate) fn congest(&mut self, now: Time, signal: Signal, restart: bool, repeated: bool) {
        let flight = f64::from(self.flight.outstanding());
        self.integrate_cwnd(now);
        self.controller.on_congestion(&Congestion { now, signal, flight, restart, repeated });
        self.consult_controller();
    }

    fn on_application(&mut self, now: Time) {
        if self.state == State::Idle {
            self.application_wake = self.stop;
            if self.settings.handshake {
                self.state = State::SynSent;
                self.send_syn(now);
            } else {
                self.establish(now);
            }
        }
        if now >= self.stop {
            self.application_wake = Time::MAX;
            self.limit = self.limit.min(self.next);
            self.note_finish(now);
        }
    }

    fn send_syn(&mut self, now: Time) {
        // The timeout doubles with each SYN (RFC 6298, 5.5).
        let attempts = self.counters.syns.min(30);
        self.rto_deadline = now + self.settings.syn_timeout.saturating_mul(1 << attempts);
        self.counters.syns += 1;
        self.syn_sent_at = now;
        self.syn_due = true;
    }

    fn on_syn_ack(&mut self, now: Time, segment: &Segment) {
        self.echo = segment.timestamps.value;
        self.peer_window = u64::from(segment.window);
        self.rto_deadline = Time::MAX;
        if self.counters.syns == 1 {
            self.measure(now.since(self.syn_sent_at));
        } else {
            self.rtt.after_lost_syn(&self.settings.rto);
            // RFC 5681, 3.1: after a lost SYN the initial window is one segment.
            self.controller.on_idle_restart(1.0);
            self.consult_controller();
        }
        self.ack_due = true;
        self.establish(now);
    }

    fn establish(&mut self, now: Time) {
        self.state = State::Established;
        self.established_at = Some(now);
        self.cwnd_since = now;
        self.last_sent_at = now;
        self.delivery.restart(now);
    }

    fn on_timeout(&mut self, now: Time) {
        if self.state == State::SynSent {
            if self.counters.syns < u64::from(self.settings.syn_attempts) {
                self.send_syn(now);
            } else {
                self.state = State::Failed;
                self.rto_deadline = Time::MAX;
                self.application_wake = Time::MAX;
            }
            return;
        }
        self.counters.timeouts += 1;
        let repeated = self.flight.head().is_some_and(Sent::has_timed_out);
        self.congest(now, Signal::Timeout, true, repeated);
        self.flight.mark_head_timed_out();
        self.loss.restart(self.next, &mut self.flight);
        self.retransmitted_at = None;
        self.rtt.back_off();
        self.arm_rto(now);
    }
}
