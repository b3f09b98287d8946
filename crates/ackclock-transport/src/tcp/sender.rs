//! The sending endpoint: its state, its life from SYN to FIN, and its timers. The processing of acknowledgments is in
//! `sender/ack.rs`, the choice of the next segment in `sender/transmit.rs`.

mod ack;
mod fast_path;
mod transmit;

use std::mem::offset_of;
use std::ops::Range;
use std::sync::Arc;

use ackclock_congestion::{Congestion, CongestionControl, Decision, Event, Signal};
use ackclock_units::{PacketRate, Time};

use crate::wire::{Flags, Header, SackBlocks, Segment};
use crate::{Counters, Transfer};

use super::mechanism::rate_sampler::RateSampler;
use super::mechanism::retransmission_queue::{RetransmissionQueue, Sent};
use super::mechanism::rtt::RttEstimator;
use super::recovery::{Recovery, RecoveryState};
use super::settings::{EcnMode, Settings};

/// The first data byte: the SYN takes sequence number 0.
const FIRST_BYTE: u64 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Not opened yet.
    Idle,
    SynSent,
    Established,
    /// No SYN was answered.
    Failed,
}

/// What the sender owes the other side, apart from data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PendingControl {
    Nothing,
    Syn,
    Ack,
}

/// Where Eifel detection (RFC 3522) stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Eifel {
    /// No episode, or it has been judged.
    #[default]
    Off,
    /// An episode began and has sent nothing again yet.
    Armed,
    /// The timestamp of its first retransmission.
    Sent(u32),
}

/// Explicit congestion notification at the sender (RFC 3168, 6.1.2).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ecn {
    /// Both ends understand it.
    pub agreed: bool,
    /// The next new data is to say that the window was reduced.
    pub cwr_pending: bool,
    /// A mark was the reason of the last reduction.
    pub by_mark: bool,
    /// What had been sent at the last reduction: marks of that are no news.
    pub reduced_until: u64,
}

/// A TCP sender: driven by [`on_segment`](Self::on_segment) and [`on_timer`](Self::on_timer), then polled by
/// [`poll_transmit`](Self::poll_transmit) until it has nothing to send, and by [`next_wake`](Self::next_wake).
///
/// The order of its fields is that of memory: what an acknowledgment of the expected kind touches (`sender/fast_path.rs`) lies
/// together, from the end of `counters` to the beginning of `flight`: five cache lines of 64 bytes, of which the sender
/// is to lie at the beginning of one. With thousands of connections it is this that takes time.
#[repr(C)]
pub struct Sender {
    stop: Time,
    pub(crate) counters: Counters,
    /// Whether nothing is to be expected but acknowledgments of the expected kind; see `sender/fast_path.rs`.
    pub(crate) steady: bool,
    /// The window is all the controller decides: it needs neither samples nor pacing.
    pub(crate) window_only: bool,
    /// Whether the window was what stopped the sender last.
    pub(crate) window_limited: bool,
    /// The other side's latest timestamp.
    pub(crate) echo: u32,
    pub(crate) settings: Arc<Settings>,
    pub(crate) controller: Box<dyn CongestionControl>,
    /// The next sequence number to send (SND.NXT).
    pub(crate) next: u64,
    /// The sequence number after the last byte the application writes; `u64::MAX` while that is open.
    pub(crate) limit: u64,
    /// The receive window the other side advertised, in bytes.
    pub(crate) peer_window: u64,
    /// The controller's window, asked for once per change, as is `pacing`.
    pub(crate) cwnd: f64,
    cwnd_since: Time,
    pub(crate) rto_deadline: Time,
    /// The application's start or stop.
    pub(crate) application_wake: Time,
    pub(crate) last_sent_at: Time,
    /// After a loss, the first round trip in which the window grows.
    pub(crate) growth_from_round: u64,
    pub(crate) rtt: RttEstimator,
    pub(crate) sampler: RateSampler,
    pub(crate) queue: RetransmissionQueue,
    pub(crate) recovery: Recovery,
    pub(crate) state: State,
    pub(crate) pending: PendingControl,
    /// Whether a FIN follows the last byte.
    pub(crate) closes: bool,
    /// Segments duplicate ACKs were counted as deliveries for, until a cumulative ACK covers them.
    pub(crate) dupack_credit: u32,
    pub(crate) eifel: Eifel,
    pub(crate) loss: RecoveryState,
    /// The latest selective acknowledgments, and the acknowledgment they came with.
    pub(crate) last_sack: SackBlocks,
    pub(crate) last_sack_at: u64,
    pub(crate) ecn: Ecn,
    pub(crate) pacing: Option<PacketRate>,
    /// The departure that pacing counts from, and when it lets the segment go that waits for it, if one does.
    pub(crate) paced_from: Option<Time>,
    pub(crate) paced_until: Time,
    controller_deadline: Time,
    pub(crate) syn_sent_at: Time,
    established_at: Option<Time>,
    /// The next sequence number of the other side, which sends a SYN and, when all is received, a FIN.
    pub(crate) peer_next: u64,
    /// After a loss, the first round trip that may bring the next signal.
    pub(crate) signal_from_round: u64,
    pub(crate) finished_at: Option<Time>,
}

impl Sender {
    /// A sender that opens at `transfer.start`.
    ///
    /// # Panics
    /// If the receive window has no room for one segment: nothing could ever be sent.
    pub fn new(
        settings: Arc<Settings>,
        recovery: Recovery,
        controller: Box<dyn CongestionControl>,
        transfer: Transfer,
    ) -> Sender {
        let mss = settings.mss;
        assert!(settings.receive_window >= u32::from(mss), "a receive window of less than a segment");
        let size = |packets: u64| packets.saturating_mul(u64::from(mss)).saturating_add(FIRST_BYTE);
        let limit = transfer.packets.map_or(u64::MAX, size);
        let needs = controller.needs();
        let window_only = !needs.samples && !needs.pacing;
        let mut queue = RetransmissionQueue::new(FIRST_BYTE, mss);
        if !window_only {
            queue = queue.with_samples();
        }
        if recovery == Recovery::Rack {
            queue = queue.by_clock();
        }
        let mut sender = Sender {
            steady: false,
            window_only,
            recovery,
            state: State::Idle,
            loss: RecoveryState::new(),
            queue,
            rtt: RttEstimator::new(&settings.rto),
            sampler: RateSampler::new(!window_only),
            next: FIRST_BYTE,
            limit,
            closes: settings.handshake,
            peer_window: u64::from(settings.receive_window),
            cwnd: 0.0,
            pacing: None,
            controller_deadline: Time::MAX,
            rto_deadline: Time::MAX,
            application_wake: transfer.start,
            stop: transfer.stop,
            paced_from: None,
            paced_until: Time::MAX,
            last_sent_at: Time::ZERO,
            syn_sent_at: Time::ZERO,
            pending: PendingControl::Nothing,
            peer_next: 1,
            window_limited: true,
            signal_from_round: 0,
            growth_from_round: 0,
            dupack_credit: 0,
            eifel: Eifel::Off,
            last_sack: SackBlocks::default(),
            last_sack_at: 0,
            ecn: Ecn::default(),
            echo: 0,
            cwnd_since: Time::MAX,
            established_at: None,
            finished_at: None,
            counters: Counters::default(),
            settings,
            controller,
        };
        sender.consult_controller(transfer.start);
        sender
    }

    /// Begins anew, as a sender just made: a new connection for another transfer.
    pub fn reopen(&mut self, controller: Box<dyn CongestionControl>, transfer: Transfer) {
        *self = Sender::new(Arc::clone(&self.settings), self.recovery, controller, transfer);
    }

    /// The connection stays open when all is sent, for [`write`](Self::write). To be said before it is.
    pub fn keep_open(&mut self) {
        self.closes = false;
    }

    /// The application writes so many more packets on a connection that stays open.
    pub fn write(&mut self, now: Time, packets: u64) {
        self.steady = false;
        self.integrate_cwnd(now);
        self.limit = self.limit.saturating_add(packets.saturating_mul(u64::from(self.settings.mss)));
        self.finished_at = None;
        self.consult_controller(now);
    }

    /// The bytes of the sender itself that an expected acknowledgment needs, which can be asked for before it comes.
    pub const NEEDED: Range<usize> = offset_of!(Sender, counters) + offset_of!(Counters, segments_sent)
        ..offset_of!(Sender, queue) + RetransmissionQueue::NEEDED;

    /// The memory that a sender refers to and an acknowledgment needs, known by what is there by now.
    #[inline]
    pub fn memory_beyond(&self) -> [Range<*const u8>; 3] {
        let controller = std::ptr::from_ref(&*self.controller).cast::<u8>();
        let [first, last] = self.queue.ends();
        [controller..controller.wrapping_add(64), first, last]
    }

    /// Takes a segment that arrived.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        if segment.sack.is_empty() {
            self.on_header(now, &segment.header);
        } else {
            self.on_other_segment(now, &segment.header, &segment.sack);
        }
    }

    /// Takes a segment that arrived, without selective acknowledgments.
    #[inline]
    pub fn on_header(&mut self, now: Time, header: &Header) {
        if !self.take_expected(now, header) {
            self.on_other_segment(now, header, &SackBlocks::NONE);
        }
    }

    /// Takes any segment.
    #[inline(never)]
    pub fn on_other_segment(&mut self, now: Time, header: &Header, sack: &SackBlocks) {
        self.steady = false;
        match self.state {
            State::Idle | State::Failed => {}
            State::SynSent => {
                if header.flags.has(Flags::SYN.with(Flags::ACK)) && header.acknowledgment == FIRST_BYTE {
                    self.on_syn_ack(now, header);
                }
            }
            State::Established => {
                // A SYN-ACK again: our ACK was lost. A FIN: acknowledge it, however often it comes.
                let has_fin = header.flags.has(Flags::FIN);
                if has_fin {
                    self.peer_next = header.end();
                }
                if has_fin || header.flags.has(Flags::SYN) {
                    self.pending = PendingControl::Ack;
                }
                if !header.flags.has(Flags::SYN) {
                    self.on_acknowledgment(now, header, sack);
                }
            }
        }
    }

    /// When [`on_timer`](Self::on_timer) wants to be called; [`Time::MAX`] for never.
    #[inline]
    pub fn next_wake(&self) -> Time {
        let transport = self.rto_deadline.min(self.loss.rack.timer).min(self.paced_until);
        self.application_wake.min(self.controller_deadline).min(transport)
    }

    /// Lets time pass: whatever was due by `now` happens.
    pub fn on_timer(&mut self, now: Time) {
        self.steady = false;
        if now >= self.application_wake {
            self.on_application(now);
        }
        if now >= self.loss.rack.timer {
            self.on_rack_timer(now);
        }
        if now >= self.rto_deadline {
            self.on_timeout(now);
        }
        if now >= self.controller_deadline {
            self.integrate_cwnd(now);
            let decision = self.controller.on_event(&Event::Deadline { now });
            self.apply_decision(now, decision);
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

    /// What was counted so far; the window is integrated up to `now`, or to the end of the transfer.
    pub fn counters(&self, now: Time) -> Counters {
        let until = self.finished_at.unwrap_or(now);
        let cwnd_seconds =
            self.counters.cwnd_seconds + self.cwnd * until.since(self.cwnd_since).as_secs_f64();
        Counters { cwnd_seconds, ..self.counters }
    }

    /// When the connection was established.
    pub fn established_at(&self) -> Option<Time> {
        self.established_at
    }

    /// When the last data byte was acknowledged; when established, if there was none.
    pub fn finished_at(&self) -> Option<Time> {
        self.finished_at
    }

    /// Whether the connection was asked for and has not come to its end: not all data acknowledged, and not failed.
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::SynSent | State::Established) && self.finished_at.is_none()
    }

    /// Whether all data is acknowledged, or no SYN was answered.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.finished_at.is_some() || self.state == State::Failed
    }

    /// Whether no SYN was answered.
    pub fn has_failed(&self) -> bool {
        self.state == State::Failed
    }

    /// Asks the controller for what may have changed. A deadline it has missed is due now.
    pub(crate) fn consult_controller(&mut self, now: Time) {
        self.apply_decision(now, self.controller.decision());
    }

    /// Applies a decision.
    #[inline]
    pub(crate) fn apply_decision(&mut self, now: Time, decision: Decision) {
        self.cwnd = decision.cwnd;
        if self.window_only {
            return;
        }
        self.pacing = decision.pacing_rate;
        // Before a connection is open and after all is acknowledged there is nothing to decide.
        let is_active = self.state == State::Established && self.finished_at.is_none();
        let wake = if is_active { decision.wake } else { None };
        self.controller_deadline = wake.map_or(Time::MAX, |wake| wake.max(now));
    }

    /// Notes when the last byte the application wrote was acknowledged.
    #[inline]
    pub(crate) fn note_finish(&mut self, now: Time) {
        if self.queue.una() >= self.limit && self.finished_at.is_none() {
            self.steady = false;
            self.finished_at = Some(now);
            self.controller_deadline = Time::MAX;
            self.queue.release();
        }
    }

    /// Accounts for the window that was in force until now.
    #[inline]
    pub(crate) fn integrate_cwnd(&mut self, now: Time) {
        // A steady sender has not come to its end.
        let until = if self.steady { now } else { self.finished_at.unwrap_or(now) };
        // By way of a signed integer, which processors convert at once.
        let seconds = until.since(self.cwnd_since).as_nanos().cast_signed() as f64 / 1e9;
        self.counters.cwnd_seconds += self.cwnd * seconds;
        self.cwnd_since = now;
    }

    /// Starts the retransmission timer anew.
    #[inline]
    pub(crate) fn arm_rto(&mut self, now: Time) {
        self.rto_deadline = now + self.rtt.rto(&self.settings.rto);
    }

    pub(crate) fn congest(&mut self, now: Time, signal: Signal, restart: bool, repeated: bool) {
        let flight = f64::from(self.queue.outstanding());
        self.respond(&Congestion { now, signal, flight, restart, repeated });
    }

    /// Tells the controller, and the receiver with the next new data.
    pub(crate) fn respond(&mut self, event: &Congestion) {
        self.integrate_cwnd(event.now);
        let decision = self.controller.on_congestion(event);
        self.apply_decision(event.now, decision);
        let by_mark = event.signal == Signal::Ecn;
        self.ecn = Ecn { cwr_pending: self.ecn.agreed, by_mark, reduced_until: self.next, ..self.ecn };
    }

    fn on_application(&mut self, now: Time) {
        if self.state == State::Idle {
            self.application_wake = self.stop;
            if self.settings.handshake {
                self.state = State::SynSent;
                self.send_syn(now);
            } else {
                self.ecn.agreed = self.settings.ecn != EcnMode::Off;
                self.establish(now);
            }
        }
        if now >= self.stop {
            self.application_wake = Time::MAX;
            self.limit = self.limit.min(self.next);
            if self.state == State::Established {
                self.note_finish(now);
            }
        }
    }

    fn send_syn(&mut self, now: Time) {
        // The timeout doubles with each SYN (RFC 6298, 5.5).
        let attempts = self.counters.syns.min(30);
        self.rto_deadline = now + self.settings.syn_timeout.saturating_mul(1 << attempts);
        self.counters.syns += 1;
        self.syn_sent_at = now;
        self.pending = PendingControl::Syn;
    }

    fn on_syn_ack(&mut self, now: Time, header: &Header) {
        self.echo = header.timestamps.value;
        self.peer_window = u64::from(header.window);
        self.rto_deadline = Time::MAX;
        // RFC 3168, 6.1.1: both flags on a SYN-ACK are those of a receiver that only mirrors what it got.
        let understands = header.flags.has(Flags::ECE) && !header.flags.has(Flags::CWR);
        self.ecn.agreed = understands && self.settings.ecn != EcnMode::Off;
        if self.counters.syns == 1 {
            self.measure(now.since(self.syn_sent_at), 1);
            self.rtt.forget_min_rtt();
        } else {
            self.rtt.after_lost_syn(&self.settings.rto);
            // RFC 5681, 3.1: after a lost SYN the initial window is one segment.
            let decision = self.controller.on_event(&Event::IdleRestart { restart_window: 1.0 });
            self.apply_decision(now, decision);
        }
        self.pending = PendingControl::Ack;
        self.establish(now);
    }

    fn establish(&mut self, now: Time) {
        self.state = State::Established;
        self.established_at = Some(now);
        self.cwnd_since = now;
        self.last_sent_at = now;
        self.sampler.restart(now);
        self.consult_controller(now);
        self.note_finish(now);
    }

    fn on_timeout(&mut self, now: Time) {
        if self.state == State::SynSent {
            if self.counters.syns < self.settings.syn_attempts {
                self.send_syn(now);
            } else {
                self.state = State::Failed;
                self.rto_deadline = Time::MAX;
                self.application_wake = Time::MAX;
            }
            return;
        }
        self.counters.note_timeout(self.rtt.backoffs());
        let repeated = self.queue.head().is_some_and(Sent::has_timed_out);
        self.congest(now, Signal::Timeout, true, repeated);
        self.queue.mark_head_timed_out();
        let pipe_before = self.queue.pipe();
        let seen = self.nothing_seen(now, self.recovery);
        self.recovery.on_timeout(&seen, &mut self.loss, &mut self.queue);
        // Counted now, told with the next acknowledgment.
        self.sampler.lost = self.sampler.lost.wrapping_add(pipe_before - self.queue.pipe());
        self.signal_from_round = 0;
        self.growth_from_round = 0;
        // RFC 3522, step 2: a second timeout of the same segment does not begin another episode.
        if !repeated {
            self.eifel = Eifel::Armed;
        }
        // Below one packet the window is the back-off: each timeout halves the rate.
        if self.cwnd >= 1.0 {
            self.rtt.back_off();
        }
        self.arm_rto(now);
    }
}
