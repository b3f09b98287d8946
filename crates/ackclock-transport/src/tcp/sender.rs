//! The sending endpoint: its state, its life from SYN to FIN, and its timers. The processing of acknowledgments is in
//! `sender/ack.rs`, the choice of the next segment in `sender/transmit.rs`.

mod ack;
mod cold_state;
mod counted;
mod explicit;
mod fast_path;
mod fast_start;
mod framing;
mod newly_acked;
mod next_segment;
mod opening;
mod pacing;
mod prediction;
mod session;
mod spurious;
mod timeout;
mod transmit;

use std::mem::offset_of;
use std::ops::Range;
use std::sync::Arc;

use ackclock_congestion::{Congestion, CongestionControl, Decision, Event, Signal};
use ackclock_units::{Duration, Time};

use crate::wire::{Flags, Header, SackBlocks};
use crate::{Counters, Incidents, Transfer};

pub use self::transmit::{Transmission, Transmitted};
use super::mechanism::ecn::Ecn;
use super::mechanism::eifel::Eifel;
use super::mechanism::fast_open::Cookie;
use super::mechanism::handshake::Handshake;
use super::mechanism::once_time::OnceTime;
use super::mechanism::pacer::Pacer;
use super::mechanism::retransmission_queue::RetransmissionQueue;
use super::mechanism::rtt::RttEstimator;
use super::mechanism::spurious_detection::SpuriousDetection;
use super::mechanism::timers::Timers;
use super::mechanism::transactions::ConnectionCount;
use super::recovery::{Recovery, RecoveryState};
use super::settings::{Pacing, Settings};
use crate::facts::{RateSampler, SignalFilter, Suspension};
use cold_state::ColdState;
use prediction::Prediction;

/// The first data byte: the SYN takes sequence number 0.
const FIRST_BYTE: u64 = 1;

/// A segment without data that is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PendingControl {
    Nothing,
    Syn,
    Ack,
    /// A probe of the receive window.
    Probe,
    Reset,
}

/// A TCP sender: driven by [`on_segment`](Self::on_segment) and [`on_timer`](Self::on_timer), then polled by
/// [`poll_transmit`](Self::poll_transmit) until it has nothing to send, and by [`next_wake`](Self::next_wake).
///
/// The order of its fields is that of memory: the fields that header prediction touches (`sender/fast_path.rs`) lie
/// together, from the end of `counters` to the beginning of `queue`: five cache lines of 64 bytes, the first of which
/// begins a cache line if the sender does. With thousands of connections, misses of the cache take most of the time.
#[repr(C)]
pub struct Sender {
    stop: Time,
    counters: Counters,
    /// Header prediction, where it applies; see `sender/fast_path.rs`.
    prediction: Prediction,
    /// The window alone decides: the controller takes no samples, segments are not paced, and all but the last are full.
    window_only: bool,
    /// The window was what stopped the sender last.
    window_limited: bool,
    /// The latest timestamp of the other side.
    echo: u32,
    settings: Arc<Settings>,
    controller: Box<dyn CongestionControl>,
    /// The next sequence number to send (SND.NXT).
    next: u64,
    /// The sequence number after the last byte the application writes; `u64::MAX` while that is open.
    limit: u64,
    /// The receive window the other side advertised, in bytes.
    peer_window: u32,
    /// Segments counted as delivered for duplicate ACKs, until a cumulative ACK covers them.
    dupack_credit: u32,
    /// The congestion window in packets, asked for once per change.
    cwnd: f64,
    cwnd_since: Time,
    last_sent_at: Time,
    suspension: Suspension,
    timers: Timers,
    rtt: RttEstimator,
    sampler: RateSampler,
    queue: RetransmissionQueue,
    recovery: RecoveryState,
    handshake: Handshake,
    pending: PendingControl,
    /// A FIN follows the last byte.
    closes: bool,
    /// A reset follows the last acknowledgment.
    resets: bool,
    /// The application stopped before the transfer was sent in full, or before anything was.
    is_cut: bool,
    /// The sender sets the pacing rate by the window, since the controller sets none.
    paces_itself: bool,
    /// `Settings::refines_acks`, or a session sees acknowledgments.
    refines_acks: bool,
    /// Header prediction may apply: neither settings nor a session have every acknowledgment examined.
    may_predict: bool,
    /// Segments may be marked: of a window on trial, or of a slow start.
    marks: bool,
    eifel: Eifel,
    /// Where episodes may be found spurious without timestamps.
    detection: Option<Box<SpuriousDetection>>,
    /// The latest selective acknowledgments, and the acknowledgment they came with.
    last_sack: SackBlocks,
    last_sack_at: u64,
    ecn: Ecn,
    pacer: Pacer,
    cold: Option<Box<ColdState>>,
    /// The next sequence number of the other side, which sends a SYN and, when all is received, a FIN. Zero before its SYN.
    peer_next: u64,
    signals: SignalFilter,
    finished_at: OnceTime,
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
        let settings = if recovery.needs().probe_timeouts && !settings.limited_transmit {
            // In flight is what is neither acknowledged nor lost (RFC 9002, B.2), in all phases.
            Arc::new(Settings { limited_transmit: true, ..(*settings).clone() })
        } else {
            settings
        };
        let mss = settings.mss;
        assert!(settings.receive_window >= u32::from(mss), "a receive window of less than a segment");
        let size = |packets: u64| packets.saturating_mul(u64::from(mss)).saturating_add(FIRST_BYTE);
        let limit = transfer.packets.map_or(u64::MAX, size);
        let needs = controller.needs();
        let paces_itself = settings.pacing != Pacing::Algorithm && !needs.pacing;
        let window_only = !needs.samples && !needs.pacing && !paces_itself && !settings.smart_framing;
        let mut queue = RetransmissionQueue::new(FIRST_BYTE, mss);
        if !window_only {
            queue = queue.with_samples();
        }
        if recovery.needs().send_times {
            queue = queue.by_clock();
        }
        let detection = SpuriousDetection::of(&settings);
        let mut sender = Sender {
            stop: transfer.stop,
            counters: Counters::default(),
            prediction: Prediction::None,
            window_only,
            window_limited: true,
            echo: 0,
            next: FIRST_BYTE,
            limit,
            peer_window: settings.first_window(),
            cwnd: 0.0,
            cwnd_since: Time::MAX,
            last_sent_at: Time::ZERO,
            suspension: Suspension::default(),
            timers: Timers::starting_at(transfer.start),
            rtt: RttEstimator::new(&settings.rto),
            sampler: RateSampler::default(),
            queue,
            recovery: RecoveryState::new(recovery),
            handshake: Handshake::new(),
            pending: PendingControl::Nothing,
            closes: settings.handshake && !settings.close_by_reset,
            resets: settings.close_by_reset,
            is_cut: false,
            paces_itself,
            refines_acks: settings.refines_acks(),
            // Header prediction leaves no room for a mark.
            may_predict: settings.counts_segments() && !settings.delay_acks_after_slow_start,
            marks: settings.marks_segments() && !needs.explicit_feedback,
            dupack_credit: 0,
            eifel: Eifel::default(),
            detection,
            last_sack: SackBlocks::default(),
            last_sack_at: 0,
            ecn: Ecn::default(),
            pacer: Pacer::new(),
            cold: None,
            peer_next: u64::from(!settings.handshake),
            signals: SignalFilter::default(),
            finished_at: OnceTime::NEVER,
            settings,
            controller,
        };
        sender.consult_controller(transfer.start);
        sender
    }

    /// Begins anew, as a sender just made: a new connection for another transfer.
    pub fn reopen(
        &mut self,
        settings: Arc<Settings>,
        controller: Box<dyn CongestionControl>,
        transfer: Transfer,
    ) {
        let cookie = self.cold.take().map_or_else(Cookie::default, |cold| cold.fast_open.cookie);
        *self = Sender::new(settings, self.recovery.recovery(), controller, transfer);
        self.keep_cookie(cookie);
    }

    /// The cookie that its host shares among the connections to its server.
    pub fn keep_cookie(&mut self, cookie: Cookie) {
        if cookie.is_kept() {
            self.cold_mut().fast_open.cookie = cookie;
        }
    }

    /// Takes over the smoothed round-trip time and its variation from other connections on the same path, before the start.
    pub fn inherit_rtt(&mut self, rtt: (Duration, Duration)) {
        self.rtt.inherit(rtt, &self.settings.rto);
        self.consult_controller(Time::ZERO);
    }

    /// The connection is a transaction with this count (RFC 1644). To be said before the start.
    pub fn transact(&mut self, count: ConnectionCount) {
        self.cold_mut().transaction = Some(count);
    }

    /// Another connection takes a part of the window: it is at most `packets` from now on, until it grows again.
    pub fn limit_window(&mut self, now: Time, packets: f64) {
        self.prediction = Prediction::None;
        self.integrate_cwnd(now);
        let decision = self.controller.on_event(&Event::IdleRestart { restart_window: packets });
        self.apply_decision(now, &decision);
    }

    /// The connection stays open when all is sent, for [`write`](Self::write). To be said before it is.
    pub fn keep_open(&mut self) {
        (self.closes, self.resets) = (false, false);
    }

    /// The application writes nothing more on a connection that has stayed open: a FIN follows the last byte, or a reset the last
    /// acknowledgment.
    pub fn close(&mut self, now: Time) {
        self.prediction = Prediction::None;
        self.resets = self.settings.close_by_reset;
        self.closes = !self.resets;
        if self.resets && self.finished_at.has_come() {
            self.abort(now);
        }
    }

    /// Opens a sender without a handshake of its own: the receiver of the same connection has answered the SYN.
    pub(super) fn accept(&mut self, now: Time) {
        self.prediction = Prediction::None;
        self.on_application(now);
    }

    /// The oldest sequence number that is not acknowledged (SND.UNA).
    pub(super) fn unacknowledged(&self) -> u64 {
        self.queue.una()
    }

    /// The next sequence number to send (SND.NXT).
    pub(super) fn next_sequence(&self) -> u64 {
        self.next
    }

    /// Takes the receive window of an acknowledgment that is not below SND.UNA. Of two that passed each other under way the one
    /// sent later counts (RFC 9293, 3.10.7.4, by SND.WL1 and SND.WL2): its right edge is further, as receivers do not
    /// take a window back.
    #[inline]
    pub(super) fn take_window(&mut self, header: &Header) {
        let edge = |acknowledgment: u64, window: u32| acknowledgment + u64::from(window);
        let una = self.queue.una();
        if header.acknowledgment >= una
            && edge(header.acknowledgment, header.window) >= edge(una, self.peer_window)
        {
            self.peer_window = header.window;
        }
    }

    /// The window of a SYN.
    pub(super) fn begin_window(&mut self, window: u32) {
        self.peer_window = window;
    }

    /// The application writes so many more packets on a connection that stays open.
    pub fn write(&mut self, now: Time, packets: u64) {
        self.prediction = Prediction::None;
        self.integrate_cwnd(now);
        self.limit = self.limit.saturating_add(packets.saturating_mul(u64::from(self.settings.mss)));
        self.finished_at = OnceTime::NEVER;
        self.consult_controller(now);
    }

    /// The bytes of the sender that header prediction touches, to be prefetched before an acknowledgment arrives.
    pub const NEEDED: Range<usize> = offset_of!(Sender, counters) + offset_of!(Counters, segments_sent)
        ..offset_of!(Sender, queue) + RetransmissionQueue::NEEDED;

    /// The memory beyond those bytes that an acknowledgment needs, to be prefetched; addresses are known once the sender
    /// itself is there. The last is the rest of the sender, and empty where header prediction by the window applies.
    #[inline]
    pub fn memory_beyond(&self) -> [Range<*const u8>; 5] {
        let controller = std::ptr::from_ref(&*self.controller).cast::<u8>();
        let [first, last] = self.queue.ends();
        let by_window = self.prediction == Prediction::Window;
        let size = if by_window { 64 } else { size_of_val(&*self.controller) };
        let rest = if by_window { 0 } else { size_of::<Sender>() - Sender::NEEDED.end };
        let end = std::ptr::from_ref(self).wrapping_add(1).cast::<u8>();
        let clock = self.queue.clock();
        [controller..controller.wrapping_add(size), first, last, clock, end.wrapping_sub(rest)..end]
    }

    /// Takes a segment that arrived, with its selective acknowledgments.
    #[inline]
    pub fn on_segment(&mut self, now: Time, header: &Header, sack: &SackBlocks) {
        let is_taken = sack.is_empty()
            && if self.prediction == Prediction::Window {
                self.on_predicted(now, header, Prediction::Window)
            } else {
                self.on_fully_predicted(now, header)
            };
        if !is_taken {
            self.on_any_segment(now, header, sack);
        }
    }

    /// Takes a segment without header prediction, as one with feedback of routers is.
    #[inline(never)]
    pub fn on_any_segment(&mut self, now: Time, header: &Header, sack: &SackBlocks) {
        self.prediction = Prediction::None;
        if header.flags.has(Flags::RST) {
            self.on_reset(now, header);
        } else if self.handshake.is_established() {
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
        } else if self.handshake.accepts(header, FIRST_BYTE, self.syn_data()) {
            self.on_syn_ack(now, header);
        } else if self.handshake.is_closed() {
            // RFC 9293, 3.10.7.1: the reset has the sequence number that is expected.
            self.send_reset(header.acknowledgment);
        }
    }

    /// The deadline at which [`on_timer`](Self::on_timer) is to be called; [`Time::MAX`] for never.
    #[inline]
    pub fn next_wake(&self) -> Time {
        if self.prediction == Prediction::Window {
            return self.timers.next_without_controller();
        }
        self.timers.next().min(self.recovery.deadline()).min(self.pacer.deadline())
    }

    /// True if more may hold it back than the window, so that deadlines of departures come before those of other timers.
    #[inline]
    pub fn may_pace(&self) -> bool {
        !self.window_only
    }

    /// Lets time pass: every timer that has expired by `now` takes effect.
    pub fn on_timer(&mut self, now: Time) {
        if now < self.timers.next().min(self.recovery.deadline()) {
            // A segment that pacing held back departs.
            return;
        }
        self.prediction = Prediction::None;
        if now >= self.timers.application() {
            self.on_application(now);
        }
        if now >= self.recovery.deadline() {
            self.on_recovery_timer(now);
        }
        if now >= self.timers.retransmission() {
            self.on_timeout(now);
        }
        if now >= self.timers.controller() {
            self.integrate_cwnd(now);
            let decision = self.controller.on_event(&Event::Deadline { now });
            self.apply_decision(now, &decision);
        }
    }

    /// The steps of long walks through the segments outstanding, since the last call; [`transmit_into`](Self::transmit_into)
    /// gives them, too.
    pub fn take_walked(&mut self) -> u32 {
        self.queue.take_walked()
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

    /// The counters; the window is integrated up to `now`, or to the end of the transfer.
    pub fn counters(&self, now: Time) -> Counters {
        let until = self.finished_at.or(now);
        let cwnd_seconds =
            self.counters.cwnd_seconds + self.cwnd * until.since(self.cwnd_since).as_secs_f64();
        Counters { cwnd_seconds, ..self.counters }
    }

    /// The counts of rare incidents.
    pub fn incidents(&self) -> Incidents {
        self.cold.as_ref().map_or_else(Incidents::default, |cold| cold.incidents)
    }

    /// The cold state, to be changed.
    #[cold]
    fn cold_mut(&mut self) -> &mut ColdState {
        self.cold.get_or_insert_default()
    }

    /// When the connection was established.
    pub fn established_at(&self) -> Option<Time> {
        self.handshake.established_at()
    }

    /// When all that the application wrote was acknowledged; when established, if that was nothing; at the stop, if no SYN
    /// was answered by then.
    pub fn closed_at(&self) -> Option<Time> {
        self.finished_at.get()
    }

    /// As [`closed_at`](Self::closed_at), for a transfer that no stop of the application has cut off.
    pub fn finished_at(&self) -> Option<Time> {
        self.finished_at.get().filter(|_| !self.is_cut)
    }

    /// True if the connection was asked for and has not come to its end: not all data acknowledged, and not failed.
    pub fn is_open(&self) -> bool {
        (self.handshake.is_pending() || self.handshake.is_established()) && !self.finished_at.has_come()
    }

    /// True if all data is acknowledged, or no SYN was answered.
    #[inline]
    pub fn is_over(&self) -> bool {
        !self.prediction.applies() && (self.finished_at.has_come() || self.handshake.has_failed())
    }

    /// True if this end has reset the connection.
    pub fn has_reset(&self) -> bool {
        self.incidents().resets > 0
    }

    /// True if the connection failed: no SYN was answered.
    pub fn has_failed(&self) -> bool {
        self.handshake.has_failed()
    }

    /// Segments in the network, as far as the recovery in use can infer.
    #[inline]
    fn in_network(&self) -> u32 {
        if !self.prediction.applies() {
            return self.recovery.in_network(&self.queue, self.settings.limited_transmit);
        }
        // No duplicates are counted.
        if self.settings.limited_transmit { self.queue.pipe() } else { self.queue.outstanding() }
    }

    /// Applies the controller's decision as it stands.
    fn consult_controller(&mut self, now: Time) {
        let decision = self.controller.decision();
        self.apply_decision(now, &decision);
    }

    /// Applies a decision.
    #[inline]
    fn apply_decision(&mut self, now: Time, decision: &Decision) {
        self.cwnd = decision.cwnd;
        if !self.window_only {
            self.apply_pace(now, decision);
        }
    }

    /// Applies the pacing rate and the deadline of a decision. A deadline in the past is due now.
    #[inline(never)]
    fn apply_pace(&mut self, now: Time, decision: &Decision) {
        let rate = self.pacing_rate(decision);
        self.pacer.set_rate(rate);
        // Before a connection is open and after all is acknowledged there is nothing to decide.
        let is_active = self.handshake.is_established() && !self.finished_at.has_come();
        let wake = if is_active { decision.wake } else { None };
        self.timers.set_controller(wake.map_or(Time::MAX, |wake| wake.max(now)));
    }

    /// Notes when the last byte the application wrote was acknowledged.
    #[inline]
    fn note_finish(&mut self, now: Time) {
        if self.queue.una() >= self.limit && !self.finished_at.has_come() {
            self.prediction = Prediction::None;
            self.finished_at = OnceTime::from(now);
            self.timers.set_controller(Time::MAX);
            self.queue.release();
            if self.resets {
                self.abort(now);
            }
        }
    }

    /// Accounts for the window that was in force until now.
    #[inline]
    fn integrate_cwnd(&mut self, now: Time) {
        // A sender on the fast path has not come to its end.
        let until = if self.prediction.applies() { now } else { self.finished_at.or(now) };
        // By way of a signed integer, which processors convert at once.
        let seconds = until.since(self.cwnd_since).as_nanos().cast_signed() as f64 / 1e9;
        self.counters.cwnd_seconds += self.cwnd * seconds;
        self.cwnd_since = now;
    }

    /// Starts the retransmission timer anew.
    #[inline]
    fn arm_rto(&mut self, now: Time) {
        self.timers.arm_retransmission(now, self.rtt.rto(&self.settings.rto));
    }

    fn congest(&mut self, now: Time, signal: Signal, restart: bool, repeated: bool) {
        let flight = self.flight();
        self.respond(&Congestion { now, signal, flight, restart, repeated });
    }

    /// Passes a signal to the controller; the next new data carries CWR to the receiver.
    fn respond(&mut self, event: &Congestion) {
        self.integrate_cwnd(event.now);
        let decision = self.controller.on_congestion(event);
        self.apply_decision(event.now, &decision);
        self.ecn.on_reduction(event.signal == Signal::Ecn, self.next);
    }
}
