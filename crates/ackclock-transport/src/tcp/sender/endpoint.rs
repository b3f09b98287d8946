//! The sending endpoint without header prediction: its owners, and what comes from the application, the timers and the session. In
//! `endpoint/` are its opening, the processing of acknowledgments, episodes of congestion, the validation of windows and of ECN, and the
//! choice of the next segment.
//!
//! Long because events that change several owners, such as a timeout, are handled where all of them are known.

mod ack;
mod class;
mod congestion;
mod ecn_validation;
mod opening;
mod transmit;
mod validation;

use std::mem::offset_of;
use std::sync::Arc;

use ackclock_congestion::{Ack, CongestionControl, Decision, Event, Signal};
use ackclock_units::{Duration, Time};

use super::super::mechanism::fast_start::FastStart;
use super::super::mechanism::limited_growth::{Flight, LatestWindow};
use super::super::mechanism::persist::Persist;
use super::super::mechanism::retransmission_queue::Sent;
use super::super::mechanism::session::SessionMember;
use super::super::recovery::{AckEvent, Expiry, ProbeConditions, Reaction, Recovery, WindowEvent};
use super::super::settings::{LimitedGrowth, Pacing as PacingRule, Settings};
use super::clock::Clock;
use super::life::{Life, PendingControl};
use super::loss::Loss;
use super::pacing::Pacing;
use super::rounds::Rounds;
use super::signals::{Signals, TimeoutFacts};
use super::stream::{FIRST_BYTE, Stream};
use super::window::Window;
use crate::Transfer;
use crate::wire::{Flags, Header, SackBlocks};

/// The sending endpoint. Each of its parts owns its fields; the endpoint decides how one part changes when another
/// does.
///
/// The fields are ordered as in memory: those that header prediction touches lie together, up to the beginning of
/// `loss`.
#[repr(C)]
pub(super) struct Endpoint {
    pub(super) window: Window,
    pub(super) stream: Stream,
    pub(super) clock: Clock,
    pub(super) rounds: Rounds,
    pub(super) settings: Arc<Settings>,
    pub(super) loss: Loss,
    pub(super) life: Life,
    pub(super) signals: Signals,
    pub(super) pacing: Pacing,
    /// The use of the latest window, if the rule of growth looks at it.
    latest_window: Option<Box<LatestWindow>>,
}

impl Endpoint {
    /// The bytes at the beginning that header prediction needs.
    pub const NEEDED: usize = offset_of!(Endpoint, loss) + Loss::NEEDED;

    /// An endpoint that opens at `transfer.start`.
    pub fn new(
        settings: Arc<Settings>,
        recovery: Recovery,
        controller: Box<dyn CongestionControl>,
        transfer: Transfer,
    ) -> Endpoint {
        let mss = settings.mss;
        assert!(settings.receive_window >= u32::from(mss), "a receive window of less than a segment");
        let size = |packets: u64| packets.saturating_mul(u64::from(mss)).saturating_add(FIRST_BYTE);
        let limit = transfer.packets.map_or(u64::MAX, size);
        let needs = controller.needs();
        let paces_itself = settings.pacing != PacingRule::Algorithm && !needs.pacing;
        let validates = settings.validates_windows();
        let window_only =
            !needs.samples && !needs.pacing && !paces_itself && !settings.smart_framing && !validates;
        let rule = if paces_itself { settings.pacing } else { PacingRule::Algorithm };
        let mut endpoint = Endpoint {
            window: Window::new(controller, window_only),
            stream: Stream::new(limit, settings.first_window()),
            clock: Clock::starting_at(transfer.start, &settings.rto),
            rounds: Rounds::default(),
            loss: Loss::new(FIRST_BYTE, recovery, &settings, !window_only),
            life: Life::new(transfer.stop, &settings),
            signals: Signals::new(&settings),
            pacing: Pacing::new(rule, validates && !needs.pacing),
            latest_window: (settings.limited_growth == LimitedGrowth::Linux).then(Box::default),
            settings,
        };
        endpoint.consult_controller(transfer.start);
        endpoint
    }

    // Requests of the application.

    /// Another connection takes a part of the window.
    pub fn limit_window(&mut self, now: Time, packets: f64) {
        self.integrate_cwnd_once_open(now);
        let decision = self.window.on_event(&Event::IdleRestart { restart_window: packets });
        self.apply_decision(now, &decision);
    }

    /// The application writes nothing more.
    pub fn close(&mut self, now: Time) {
        if self.life.close(&self.settings) {
            self.abort(now);
        }
    }

    /// The application writes `packets` more on a connection that stays open.
    pub fn write(&mut self, now: Time, packets: u64) {
        self.write_bytes(now, packets.saturating_mul(u64::from(self.settings.mss)));
    }

    /// Takes this many more bytes from the application.
    pub fn write_bytes(&mut self, now: Time, bytes: u64) {
        self.integrate_cwnd_once_open(now);
        self.stream.write(bytes);
        self.life.go_on(now);
        self.consult_controller(now);
    }

    /// Takes back what was written and is not sent.
    pub fn take_back(&mut self, now: Time) {
        self.integrate_cwnd_once_open(now);
        self.stream.stop();
        if self.life.is_established() {
            self.note_finish(now);
        }
    }

    /// The first window is inherited and has `packets` packets; `fallback` is the controller of a connection that
    /// inherits nothing.
    pub fn start_fast(&mut self, packets: f64, fallback: Box<dyn CongestionControl>) {
        // Segments that the receive window holds back are sent with the acknowledgments of the others.
        let room = u64::from(self.settings.first_window());
        let end = FIRST_BYTE + (packets as u64 * u64::from(self.settings.mss)).min(room);
        self.life.cold_mut().fast_start = Some(FastStart::new(end, fallback));
    }

    /// The application starts, or stops.
    pub fn on_application(&mut self, now: Time) {
        if self.life.handshake().is_idle() {
            self.clock.set_application(self.life.stop());
            if self.settings.handshake {
                self.send_syn(now);
            } else {
                self.signals.ecn_mut().assume(self.settings.ecn);
                self.establish(now);
            }
        }
        if now >= self.life.stop() {
            self.clock.set_application(Time::MAX);
            if self.life.resets() && self.life.is_established() {
                return self.abort(now);
            }
            let is_cut = self.stream.stop();
            self.life.set_cut(is_cut);
            if self.life.is_established() {
                self.note_finish(now);
            } else {
                self.life.close_in_syn_sent(now);
                self.clock.stop_rto();
            }
        }
    }

    // Segments of the other side.

    /// Takes a segment that arrived, with its selective acknowledgments.
    pub fn on_segment(&mut self, now: Time, header: &Header, sack: &SackBlocks) {
        if header.flags.has(Flags::RST) {
            self.on_reset(now, header);
        } else if self.life.is_established() {
            // A repeated SYN-ACK means that the ACK was lost. A FIN is acknowledged each time it comes.
            let has_syn = header.flags.has(Flags::SYN);
            if header.flags.has(Flags::FIN) {
                self.life.take_fin(header.end());
            } else if has_syn {
                self.life.set_pending(PendingControl::Ack);
            }
            if !has_syn {
                self.on_acknowledgment(now, header, sack);
            }
        } else if self.life.accepts(header) {
            self.on_syn_ack(now, header);
        } else if self.life.handshake().is_closed() {
            // RFC 9293, 3.10.7.1: the reset has the sequence number that is expected.
            self.life.send_reset(header.acknowledgment);
        }
    }

    /// Takes a reset of the other side. It counts if it has the expected sequence number (RFC 9293, 3.10.7.4).
    #[cold]
    fn on_reset(&mut self, now: Time, header: &Header) {
        if self.life.is_established() && header.sequence == self.life.peer_next() {
            self.end_by_reset(now);
        }
    }

    /// RFC 9293, 3.10.5: deletes the connection, gives up outstanding data, and resets the other side.
    #[cold]
    fn abort(&mut self, now: Time) {
        if self.life.is_established() {
            self.end_by_reset(now);
            self.life.cold_mut().incidents.resets += 1;
            self.life.send_reset(self.stream.next());
        }
    }

    /// Ends the connection, of which nothing remains.
    pub fn end_by_reset(&mut self, now: Time) {
        self.integrate_cwnd(now);
        self.life.end_by_reset(now);
        self.loss.end(self.stream.next(), self.settings.mss);
        self.clock.stop();
        self.pacing.stop_wake();
        self.pacing.clear();
    }

    /// Notes when the last byte that the application wrote is acknowledged. Returns true if it is now.
    #[inline]
    pub fn note_finish(&mut self, now: Time) -> bool {
        let is_last = self.loss.queue().una() >= self.stream.limit() && !self.life.is_finished();
        if is_last {
            self.life.finish(now);
            self.pacing.stop_wake();
            self.loss.release(self.life.stays_open());
            if self.life.resets() {
                self.abort(now);
            }
        }
        is_last
    }

    // Timers.

    /// The earliest deadline of all timers, except departures.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.clock.timers().next().min(self.pacing.wake()).min(self.loss.recovery().deadline())
    }

    /// Applies every timer that has expired by `now`.
    pub fn on_timer(&mut self, now: Time) {
        if now >= self.clock.timers().application() {
            self.on_application(now);
        }
        if now >= self.loss.recovery().deadline() {
            self.on_recovery_timer(now);
        }
        if now >= self.clock.timers().retransmission() {
            self.on_timeout(now);
        }
        if now >= self.pacing.wake() {
            self.integrate_cwnd(now);
            let decision = self.window.on_event(&Event::Deadline { now });
            self.apply_decision(now, &decision);
        }
    }

    /// The retransmission timer expired (RFC 6298, section 5): the SYN is sent again, or the first unacknowledged segment.
    fn on_timeout(&mut self, now: Time) {
        if self.life.handshake().is_pending() {
            self.on_syn_timeout(now);
            return;
        }
        if self.loss.queue().is_empty() {
            self.on_persist_timeout(now);
            return;
        }
        self.loss.note_timeout(self.clock.rtt().backoffs());
        let recovery = self.loss.recovery();
        let may_judge = if recovery.needs().sack { recovery.is_open() } else { !recovery.is_restart() };
        let repeated = self.loss.queue().head().is_some_and(Sent::has_timed_out);
        if !self.falls_back(now) {
            self.congest(now, Signal::Timeout, true, repeated);
        }
        let path_min_rtt = self.path_min_rtt();
        let timer = self.clock.event(now, self.stream.next(), &self.settings);
        let lost = self.loss.on_timeout(&AckEvent { path_min_rtt, ..timer });
        // The sampler counts the losses now; the controller sees them with the next acknowledgment.
        self.rounds.on_lost(lost, None);
        self.rounds.resume();
        // A window below one packet replaces the back-off: each timeout halves the rate.
        let below_one = self.window.cwnd() < 1.0;
        let timeout = TimeoutFacts { repeated, may_judge, below_one, next: self.stream.next() };
        self.signals.time_out(timeout, &self.settings, self.loss.queue());
        if !below_one {
            self.clock.back_off(&self.settings.rto);
        }
        self.arm_rto(now);
    }

    /// Starts the persist timer: data waits for the receive window, and nothing is outstanding.
    #[cold]
    fn wait_for_window(&mut self, now: Time) {
        if self.loss.queue().is_empty() && !self.clock.timers().is_retransmission_armed() {
            let persist = self.life.cold().map_or_else(Persist::default, |cold| cold.persist);
            let timeout = persist.timeout(self.clock.rtt(), &self.settings.rto);
            self.clock.arm(now, timeout);
        }
    }

    /// Ends the wait: the receive window has opened, and new data is sent.
    #[inline]
    fn end_wait_for_window(&mut self) {
        self.clock.stop_rto();
        if let Some(cold) = self.life.cold_if_any() {
            cold.persist.stop();
        }
    }

    /// The persist timer expired: the window is probed, unless the application has stopped, or pacing alone holds the next
    /// segment back.
    fn on_persist_timeout(&mut self, now: Time) {
        self.clock.stop_rto();
        if self.stream.next() < self.stream.end(self.life.closes()) && self.end_of_new().is_none() {
            self.life.set_pending(PendingControl::Probe);
            let cold = self.life.cold_mut();
            cold.persist.on_probe();
            cold.incidents.window_probes += 1;
            self.wait_for_window(now);
        }
    }

    /// The recovery's own timer expired: segments are lost, or a loss probe is due. The controller is called as for an
    /// acknowledgment of nothing.
    fn on_recovery_timer(&mut self, now: Time) {
        let pipe_before = self.loss.queue().pipe();
        let path_min_rtt = self.path_min_rtt();
        let timer = self.clock.event(now, self.stream.next(), &self.settings);
        let expiry = self.loss.on_timer(&AckEvent { path_min_rtt, ..timer });
        let has_timeouts = self.loss.recovery().needs().probe_timeouts;
        if has_timeouts {
            self.schedule_probe(now);
        }
        match expiry {
            Expiry::Losses(reaction) => self.take_losses(now, pipe_before, reaction),
            Expiry::Probe if has_timeouts => {}
            Expiry::Probe => self.arm_rto(now),
        }
    }

    /// Takes losses that no acknowledgment of this connection has shown. `pipe_before` segments were in the network
    /// before.
    fn take_losses(&mut self, now: Time, pipe_before: u32, reaction: Reaction) {
        let lost = pipe_before.saturating_sub(self.loss.queue().pipe());
        if reaction == Reaction::None && lost == 0 {
            return;
        }
        // RFC 8985, 8: the reordering timer had replaced the retransmission timer, which the retransmission starts (RFC
        // 6298, 5.1).
        if !self.loss.recovery().needs().probe_timeouts {
            self.arm_rto(now);
        }
        self.integrate_cwnd(now);
        let before = self.window.cwnd();
        self.react(now, reaction);
        let sample = self.account_for_loss(lost);
        let in_flight = self.packets_in_network();
        let facts = self.facts(now);
        let decision = self.window.on_ack(&Ack {
            acks: 0,
            in_flight,
            lost: f64::from(lost),
            loss: sample,
            suspended: true,
            window_limited: false,
            ..facts
        });
        self.apply_decision(now, &decision);
        if self.loss.is_reducing() {
            self.loss.on_window(&WindowEvent {
                delivered: 0,
                begins: matches!(reaction, Reaction::Episode { .. }),
                cumulative: 0,
                selective: 0,
                is_safe: false,
                before,
                cwnd: self.window.cwnd(),
            });
        }
    }

    /// Takes news from the session: acknowledgments of other connections, together with this connection's duplicates,
    /// may mean a loss. Then one more duplicate is counted, which makes them enough. Does nothing if there is no news,
    /// or if it is out of date.
    pub fn on_session(&mut self, now: Time) {
        if !self.session().is_some_and(SessionMember::take_told) || !self.loss.recovery().is_open() {
            return;
        }
        let pipe_before = self.loss.queue().pipe();
        let timer = self.clock.event(now, self.stream.next(), &self.settings);
        let event = AckEvent { duplicate: true, duplicate_threshold: 1, ..timer };
        let reaction = self.loss.on_ack(self.loss.recovery().recovery(), &event);
        self.take_losses(now, pipe_before, reaction);
    }

    /// Restarts the retransmission timer.
    #[inline]
    fn arm_rto(&mut self, now: Time) {
        self.clock.arm_rto(now, &self.settings.rto);
    }

    /// The smallest round-trip time of the path: of segments with data, and of the SYN if only one was sent. The SYN
    /// counts because segments that all waited in a queue do not show how soon a retransmission can be acknowledged.
    fn path_min_rtt(&self) -> Duration {
        let least = self.clock.rtt().min_rtt();
        match self.life.handshake().measured() {
            Some(rtt) if least.is_zero() => rtt,
            Some(rtt) => least.min(rtt),
            None => least,
        }
    }

    /// Schedules the next loss probe, counted from now.
    #[expect(clippy::inline_always, reason = "the conditions pass in registers")]
    #[inline(always)]
    pub fn schedule_probe(&mut self, now: Time) {
        let conditions = ProbeConditions {
            now,
            cwnd: self.window.cwnd(),
            rto_deadline: self.clock.timers().retransmission(),
            rtt: self.clock.rtt(),
            settings: &self.settings,
        };
        self.loss.schedule_probe(&conditions);
        if self.loss.recovery().needs().probe_timeouts {
            self.clock.stop_rto();
        }
    }

    /// Notes that the segment that ends at `end` is sent now, if its time matters: the next probe is due later.
    #[expect(clippy::inline_always, reason = "a segment is made where it is sent")]
    #[inline(always)]
    pub fn note_time_of_sending(&mut self, now: Time, end: u64) {
        if self.loss.recovery().needs().probe_timeouts {
            let measured = !self.clock.rtt().srtt().is_zero();
            self.loss.on_transmission(now, end, measured);
        }
        self.schedule_probe(now);
    }

    // The controller.

    /// Applies the controller's decision as it stands.
    pub fn consult_controller(&mut self, now: Time) {
        let decision = self.window.decision();
        self.apply_decision(now, &decision);
    }

    /// Applies a decision.
    #[inline]
    pub fn apply_decision(&mut self, now: Time, decision: &Decision) {
        self.window.apply(decision);
        if !self.window.decides_alone() {
            self.apply_pace(now, decision);
        }
    }

    #[inline(never)]
    fn apply_pace(&mut self, now: Time, decision: &Decision) {
        let activity = (self.loss.queue().outstanding(), self.life.is_active());
        self.pacing.apply(now, decision, &self.window, self.clock.rtt(), activity);
    }

    /// Accounts for the window that was in force until now.
    #[inline]
    fn integrate_cwnd(&mut self, now: Time) {
        self.window.integrate(now, self.life.until(now));
    }

    /// The same, of a connection that may not be open yet: its window does not count before.
    fn integrate_cwnd_once_open(&mut self, now: Time) {
        if self.life.is_established() {
            self.integrate_cwnd(now);
        }
    }

    /// The facts for the controller that do not depend on what has arrived.
    #[expect(clippy::inline_always, reason = "most facts are replaced where it is called")]
    #[inline(always)]
    fn facts(&self, now: Time) -> Ack {
        let (window_limited, largest_flight) = self.growth();
        Ack {
            now,
            srtt: self.clock.rtt().srtt(),
            min_rtt: self.clock.rtt().min_rtt(),
            round: self.rounds.round(),
            window_limited,
            largest_flight,
            recovering: !self.loss.recovery().is_open(),
            ..Ack::default()
        }
    }

    // Growth.

    /// The sender stops: the window is the reason, or something else.
    #[inline]
    pub fn stop(&mut self, by_window: bool) {
        self.window.set_limiting(by_window);
        self.note_stop(by_window);
    }

    /// The sender pauses: the next departure is not due.
    #[inline]
    pub fn pause(&mut self) {
        self.note_stop(false);
    }

    #[inline]
    fn note_stop(&mut self, by_window: bool) {
        if self.settings.limited_growth == LimitedGrowth::Linux {
            self.validate_window(by_window);
        }
    }

    #[cold]
    #[inline(never)]
    fn validate_window(&mut self, by_window: bool) {
        let queue = self.loss.queue();
        let flight = Flight { segments: queue.outstanding(), una: queue.una(), next: self.stream.next() };
        if let Some(latest) = &mut self.latest_window {
            latest.validate((by_window, self.window.cwnd()), flight);
        }
    }

    /// The permission to grow, and the largest flight that bounds the growth.
    #[inline]
    pub fn growth(&self) -> (bool, f64) {
        if self.window.is_limiting() { (true, f64::INFINITY) } else { self.limited_growth() }
    }

    /// The same, if something else than the window holds the sender back.
    #[inline(never)]
    fn limited_growth(&self) -> (bool, f64) {
        match self.settings.limited_growth {
            LimitedGrowth::RateLimited => self.window.largest_flight().growth(self.window.phase()),
            LimitedGrowth::Linux => {
                let latest = self.latest_window.as_ref();
                (latest.is_some_and(|latest| latest.may_grow(self.window.phase())), f64::INFINITY)
            }
            LimitedGrowth::Rfc7661 => (self.is_window_validated(), f64::INFINITY),
            LimitedGrowth::Window => (false, f64::INFINITY),
        }
    }

    // Segments and packets: the network and the recoveries count segments, controllers packets, which are full segments.

    /// The flight in packets (RFC 5681's `FlightSize`).
    #[inline]
    fn flight(&self) -> f64 {
        self.packets_of(self.loss.queue().outstanding())
    }

    /// Packets in the network, as far as the recovery in use can infer.
    fn packets_in_network(&self) -> f64 {
        self.packets_of(self.loss.in_network())
    }

    /// Converts a number of outstanding segments to packets.
    #[inline]
    fn packets_of(&self, segments: u32) -> f64 {
        if self.settings.smart_framing { self.packets(self.bytes_of(segments)) } else { f64::from(segments) }
    }

    /// Converts a number of bytes to packets.
    fn packets(&self, bytes: u64) -> f64 {
        bytes as f64 / f64::from(self.settings.mss)
    }

    /// Converts a number of outstanding segments to bytes, by their mean size.
    fn bytes_of(&self, segments: u32) -> u64 {
        let outstanding = u64::from(self.loss.queue().outstanding()).max(1);
        (self.stream.next() - self.loss.queue().una()) * u64::from(segments) / outstanding
    }
}
