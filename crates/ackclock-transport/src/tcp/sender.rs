//! The sending endpoint as its driver sees it: header prediction in front of an [`Endpoint`].

mod clock;
mod cold_state;
mod endpoint;
mod fast_path;
mod info;
mod life;
mod loss;
mod pacing;
mod rounds;
mod signals;
mod stream;
mod window;

use std::mem::offset_of;
use std::ops::Range;
use std::sync::Arc;

use ackclock_congestion::CongestionControl;
use ackclock_units::{Duration, Time};

use crate::wire::{ByteCounters, CongestionHeader, Flags, Header, SackBlocks};
use crate::{Counters, Incidents, Transfer};

pub use self::fast_path::{Driver, Transmission, transmit};
use super::mechanism::fast_open::Cookie;
use super::mechanism::rtt::RttEstimator;
use super::mechanism::session::SessionMember;
use super::mechanism::transactions::ConnectionCount;
use super::recovery::Recovery;
use super::settings::Settings;
use endpoint::Endpoint;

/// How far header prediction applies, until anything but a predicted acknowledgment arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prediction {
    /// The next acknowledgment and the next segment are examined in full.
    None,
    /// It applies, and only the window holds the sender back: nothing is sampled, paced, marked or judged by its
    /// sending time.
    Window,
    /// It applies to a sender that samples, paces, marks or judges by sending times.
    Full,
}

impl Prediction {
    /// True if it applies.
    #[inline]
    fn applies(self) -> bool {
        self != Prediction::None
    }
}

/// A TCP sender: driven by [`on_segment`](Self::on_segment) and [`on_timer`](Self::on_timer), then polled by
/// [`poll_transmit`](Self::poll_transmit), or by [`transmit`], until it has nothing to send, and by
/// [`next_wake`](Self::next_wake).
///
/// The fields are ordered as in memory. Those that header prediction touches (`sender/fast_path.rs`) lie together at
/// the beginning, in five cache lines of 64 bytes if the sender begins a cache line. With thousands of connections,
/// cache misses take most of the time.
#[repr(C)]
pub struct Sender {
    /// How far header prediction applies; see `sender/fast_path.rs`.
    prediction: Prediction,
    /// True if header prediction may apply: neither settings nor a session require every acknowledgment to be examined,
    /// and segments need no marks of a slow start.
    may_predict: bool,
    /// True if segments may be marked, as those of a window on trial or of a slow start.
    marks: bool,
    endpoint: Endpoint,
}

impl Sender {
    /// A sender that opens at `transfer.start`.
    ///
    /// # Panics
    /// If the receive window has no room for one segment, so that nothing could ever be sent.
    pub fn new(
        settings: Arc<Settings>,
        recovery: Recovery,
        controller: Box<dyn CongestionControl>,
        transfer: Transfer,
    ) -> Sender {
        Sender {
            prediction: Prediction::None,
            may_predict: settings.counts_segments()
                && !settings.delay_acks_after_slow_start
                && !settings.validates_windows(),
            marks: settings.marks_segments() && !controller.needs().explicit_feedback,
            endpoint: Endpoint::new(settings, recovery, controller, transfer),
        }
    }

    /// The endpoint, for changes other than those of header prediction, whose findings no longer hold then.
    #[inline]
    fn examined(&mut self) -> &mut Endpoint {
        self.prediction = Prediction::None;
        &mut self.endpoint
    }

    // Before the start.

    /// Resets the sender for a new connection with another transfer.
    pub fn reopen(&mut self, controller: Box<dyn CongestionControl>, transfer: Transfer) {
        let settings = Arc::clone(&self.endpoint.settings);
        let cookie = self.endpoint.life.take_cookie();
        let recovery = self.endpoint.loss.recovery().recovery();
        *self = Sender::new(settings, recovery, controller, transfer);
        self.keep_cookie(cookie);
    }

    /// The cookie that its host shares among the connections to its server.
    pub fn keep_cookie(&mut self, cookie: Cookie) {
        if cookie.is_kept() {
            self.endpoint.life.cold_mut().fast_open.cookie = cookie;
        }
    }

    /// Takes over the smoothed round-trip time and its variation from other connections on the same path, before the start.
    pub fn inherit_rtt(&mut self, rtt: (Duration, Duration)) {
        let endpoint = self.examined();
        endpoint.clock.inherit(rtt, &endpoint.settings.rto);
        endpoint.consult_controller(Time::ZERO);
    }

    /// Makes the connection a transaction with this count (RFC 1644). To be called before the start.
    pub fn transact(&mut self, count: ConnectionCount) {
        self.endpoint.life.cold_mut().transaction = Some(count);
    }

    /// Adds the connection to a session (burst-tcp, 3.3.2). To be called before the start.
    pub fn join_session(&mut self, member: SessionMember) {
        self.may_predict = false;
        self.endpoint.loss.refine_acks();
        self.endpoint.life.cold_mut().session = Some(member);
    }

    /// The first window is inherited and has `packets` packets. `fallback` is the controller of a connection that takes
    /// nothing over. To be called before the start.
    pub fn start_fast(&mut self, packets: f64, fallback: Box<dyn CongestionControl>) {
        self.marks = !self.controller().needs().explicit_feedback;
        self.examined().start_fast(packets, fallback);
    }

    /// Keeps the connection open when all is sent, for [`write`](Self::write). To be called before that.
    pub fn keep_open(&mut self) {
        self.examined().life.keep_open();
    }

    // Requests of the application and of other connections.

    /// Another connection takes a part of the window. The window is now at most `packets`, until it grows again.
    pub fn limit_window(&mut self, now: Time, packets: f64) {
        self.examined().limit_window(now, packets);
    }

    /// The application writes `packets` more on a connection that stays open.
    pub fn write(&mut self, now: Time, packets: u64) {
        self.examined().write(now, packets);
    }

    /// The application takes back what it has written and is not sent, on a connection that stays open.
    pub fn take_back(&mut self, now: Time) {
        self.examined().take_back(now);
    }

    /// As [`write`](Self::write), in bytes: the last segment may be short.
    pub fn write_bytes(&mut self, now: Time, bytes: u64) {
        self.examined().write_bytes(now, bytes);
    }

    /// The application writes nothing more on a connection that has stayed open: a FIN follows the last byte, or a reset the last
    /// acknowledgment.
    pub fn close(&mut self, now: Time) {
        self.examined().close(now);
    }

    /// Opens a connection now.
    pub(super) fn open(&mut self, now: Time) {
        self.examined().on_application(now);
    }

    /// Opens a sender without its own handshake: the receiver of the same connection has answered the SYN.
    pub(super) fn accept(&mut self, now: Time, round_trip: Option<Duration>) {
        let endpoint = self.examined();
        if round_trip.is_some() {
            endpoint.clock.take_rtt_of_syn(round_trip, &endpoint.settings.rto);
        }
        endpoint.on_application(now);
    }

    /// Ends the connection, of which nothing remains.
    pub(super) fn end_by_reset(&mut self, now: Time) {
        self.examined().end_by_reset(now);
    }

    // What arrives.

    /// Takes a segment that arrived, with its selective acknowledgments.
    #[inline]
    pub fn on_segment(&mut self, now: Time, header: &Header, sack: &SackBlocks) {
        let is_taken = sack.is_empty() && self.takes_predicted(now, header);
        if !is_taken {
            self.on_any_segment(now, header, sack);
        }
    }

    /// Takes a segment without header prediction, such as one with feedback of routers.
    #[inline(never)]
    pub fn on_any_segment(&mut self, now: Time, header: &Header, sack: &SackBlocks) {
        self.examined().on_segment(now, header, sack);
    }

    /// Takes the receive window of an acknowledgment that is not below SND.UNA.
    #[inline]
    pub(super) fn take_window(&mut self, header: &Header) {
        let una = self.unacknowledged();
        self.endpoint.stream.take_window(header, una);
    }

    /// The window of a SYN.
    pub(super) fn begin_window(&mut self, window: u32) {
        self.endpoint.stream.set_window(window);
    }

    /// Keeps the byte counters of the next acknowledgment to be taken (RFC 9768, 3.2.3).
    pub fn keep_byte_counters(&mut self, counters: &ByteCounters) {
        let mss = self.endpoint.settings.mss;
        self.endpoint.life.cold_mut().bytes.keep(counters, mss);
    }

    /// Takes what the handshake of an end that was opened has shown about ECN: whether it was agreed on and may be used, and
    /// the field ACE of the acknowledgment of the SYN-ACK, if it has one.
    pub(super) fn take_handshake(&mut self, agreed: bool, permitted: bool, ace: Option<u8>) {
        let endpoint = self.examined();
        let ecn = endpoint.signals.ecn_mut();
        if !agreed {
            ecn.refuse();
        } else if !permitted {
            ecn.withhold();
        }
        if ace.is_some_and(|ace| ecn.on_answer_to_syn_ack(&endpoint.settings, ace)) {
            endpoint.signals.count_marked(1);
        }
    }

    /// True if ECN was agreed on.
    pub(super) fn has_ecn(&self) -> bool {
        self.endpoint.signals.ecn().is_agreed()
    }

    /// True if segments without data may be ECN-capable.
    pub(super) fn permits_ecn(&self) -> bool {
        self.endpoint.signals.ecn().control_flags() != Flags::default()
    }

    /// Discards the byte counters of an acknowledgment that is not taken.
    pub(super) fn discard_byte_counters(&mut self) {
        if let Some(cold) = self.endpoint.life.cold_if_any() {
            cold.bytes.discard();
        }
    }

    /// Keeps the feedback of routers in a congestion header, if it has any. The controller gets it with the next
    /// acknowledgment. A full segment has `size` bytes on the wire.
    pub fn keep_feedback(&mut self, header: &CongestionHeader, size: f64) {
        if header.reverse_feedback.is_finite() {
            self.endpoint.life.cold_mut().keep_feedback(header, size);
        }
    }

    /// True if there is feedback for the controller.
    pub(super) fn has_feedback(&self) -> bool {
        self.endpoint.has_feedback()
    }

    /// The congestion header of a segment that is sent now (draft-falk-xcp-spec-03, 3.1). Packets without data take no part of the
    /// feedback. A sender that the window holds back asks for as much as possible; any other asks for no more than it
    /// has.
    pub fn congestion_header(&self, is_data: bool) -> CongestionHeader {
        let Endpoint { window, clock, .. } = &self.endpoint;
        let rtt = if is_data { clock.rtt().srtt().as_secs_f64() } else { 0.0 };
        CongestionHeader {
            rtt: rtt as f32,
            spacing: (rtt / window.cwnd().max(1.0)) as f32,
            delta_throughput: if window.is_limiting() { f32::INFINITY } else { 0.0 },
            reverse_feedback: f32::INFINITY,
        }
    }

    /// The flows that [`on_session`](Self::on_session) must be called for after the latest acknowledgment.
    pub fn told_in_session(&self) -> Vec<u32> {
        self.endpoint.session().map(SessionMember::take_to_tell).unwrap_or_default()
    }

    /// Takes news from the session: acknowledgments of other connections, together with this connection's duplicates,
    /// may mean a loss. Then one more duplicate is counted, which makes them enough. Does nothing if there is no news,
    /// or if it is out of date.
    pub fn on_session(&mut self, now: Time) {
        self.examined().on_session(now);
    }

    // Timers.

    /// The deadline at which [`on_timer`](Self::on_timer) is to be called; [`Time::MAX`] for never.
    #[inline]
    pub fn next_wake(&self) -> Time {
        if self.prediction == Prediction::Window {
            return self.endpoint.clock.timers().next();
        }
        self.endpoint.deadline().min(self.endpoint.pacing.departure())
    }

    /// True if not only the window may hold it back, so that deadlines of departures come before those of other timers.
    #[inline]
    pub fn may_pace(&self) -> bool {
        !self.endpoint.window.decides_alone()
    }

    /// Lets time pass: every timer that has expired by `now` takes effect.
    pub fn on_timer(&mut self, now: Time) {
        // A segment that pacing held back departs first.
        if now >= self.endpoint.deadline() {
            self.examined().on_timer(now);
        }
    }

    // Memory.

    /// The bytes of the sender that header prediction touches, to be prefetched before an acknowledgment arrives.
    pub const NEEDED: Range<usize> = 0..offset_of!(Sender, endpoint) + Endpoint::NEEDED;

    /// The memory beyond those bytes that an acknowledgment needs, with or without selective acknowledgments, to be
    /// prefetched; addresses are known once the sender itself is there. The last is the rest of the sender; it is empty if
    /// header prediction by the window applies.
    #[inline]
    pub fn memory_beyond(&self, is_selective: bool) -> [Range<*const u8>; 5] {
        let by_window = self.prediction == Prediction::Window && !is_selective;
        let controller = self.endpoint.window.memory(by_window.then_some(64));
        let [first, last, clock] = self.endpoint.loss.memory();
        let rest = if by_window { 0 } else { size_of::<Sender>() - Sender::NEEDED.end };
        let end = std::ptr::from_ref(self).wrapping_add(1).cast::<u8>();
        [controller, first, last, clock, end.wrapping_sub(rest)..end]
    }

    /// The steps of long walks through the outstanding segments since the last call. [`transmit`] reports them, too.
    pub fn take_walked(&mut self) -> u32 {
        self.endpoint.loss.take_walked()
    }

    // The state for tables and traces.

    /// The congestion window in packets.
    pub fn cwnd(&self) -> f64 {
        self.endpoint.window.cwnd()
    }

    /// The congestion controller.
    pub fn controller(&self) -> &dyn CongestionControl {
        self.endpoint.window.controller()
    }

    /// The round-trip time estimator.
    pub fn rtt(&self) -> &RttEstimator {
        self.endpoint.clock.rtt()
    }

    /// Packets believed to be in the network.
    pub fn in_flight(&self) -> u32 {
        self.endpoint.loss.in_network()
    }

    /// The oldest sequence number that is not acknowledged (SND.UNA).
    pub(super) fn unacknowledged(&self) -> u64 {
        self.endpoint.loss.queue().una()
    }

    /// The next sequence number to send (SND.NXT).
    pub(super) fn next_sequence(&self) -> u64 {
        self.endpoint.stream.next()
    }

    /// The counters; the window is integrated up to `now`, or to the end of the transfer.
    pub fn counters(&self, now: Time) -> Counters {
        let Endpoint { window, stream, clock, loss, life, signals, .. } = &self.endpoint;
        let (rtt_total, rtt_max) = clock.total_and_max();
        let (fast_retransmits, spurious) = signals.counts();
        loss.counters(Counters {
            fast_retransmits,
            spurious,
            syns: life.handshake().syns(),
            segments_sent: stream.segments_sent(),
            rtt_samples: clock.samples(),
            rtt_total,
            rtt_max,
            cwnd_seconds: window.packet_seconds(life.until(now)),
            ..Counters::default()
        })
    }

    /// The counts of rare incidents.
    pub fn incidents(&self) -> Incidents {
        self.endpoint.life.cold().map_or_else(Incidents::default, |cold| cold.incidents)
    }

    /// The time over which the window of [`counters`](Self::counters) is integrated.
    pub fn busy(&self, now: Time) -> Duration {
        self.endpoint.life.busy(now)
    }

    /// When the connection was established.
    pub fn established_at(&self) -> Option<Time> {
        self.endpoint.life.handshake().established_at()
    }

    /// The time at which all that the application wrote was acknowledged. If it wrote nothing, the time at which the
    /// connection was established; if no SYN was answered before the stop, the stop.
    pub fn closed_at(&self) -> Option<Time> {
        self.endpoint.life.finished_at().get()
    }

    /// As [`closed_at`](Self::closed_at), for a transfer that no stop of the application has cut off.
    pub fn finished_at(&self) -> Option<Time> {
        self.closed_at().filter(|_| !self.endpoint.life.is_cut())
    }

    /// True if the connection was requested and has not ended: it has not failed, and not all data is acknowledged.
    pub fn is_open(&self) -> bool {
        let life = &self.endpoint.life;
        (life.handshake().is_pending() || life.is_established()) && !life.is_finished()
    }

    /// True if all data is acknowledged, or no SYN was answered.
    #[inline]
    pub fn is_over(&self) -> bool {
        !self.prediction.applies() && (self.endpoint.life.is_finished() || self.has_failed())
    }

    /// True if this end has reset the connection.
    pub fn has_reset(&self) -> bool {
        self.incidents().resets > 0
    }

    /// The bytes that are written and were never sent.
    pub fn unsent(&self) -> u64 {
        let stream = &self.endpoint.stream;
        stream.limit().saturating_sub(stream.next())
    }

    /// True if the connection failed: no SYN was answered.
    pub fn has_failed(&self) -> bool {
        self.endpoint.life.handshake().has_failed()
    }

    /// True if data waits for the receive window, with nothing outstanding.
    pub fn is_waiting_for_window(&self) -> bool {
        let Endpoint { loss, life, clock, .. } = &self.endpoint;
        loss.queue().is_empty() && life.is_established() && clock.timers().is_retransmission_armed()
    }
}
